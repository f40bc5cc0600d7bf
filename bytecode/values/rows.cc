#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/scan_capture.h"
#include "bytecode/values/value_kind.h"

namespace msjit {
namespace {

PyTypeObject* rows_type(const SymValue&) { return &PyList_Type; }

bool rows_refuse(Executor& x, const SymRef& value) {
  x.refuse_rows(*value);
  return x.fail(BreakReason::kUnsupported, describe(*value));
}

bool rows_attribute(Executor& x, const SymRef& rows, PyObject* name, SymRef* out) {
  return find_method_model(rows, utf8_text(name)) ? bound_by_name(rows, name, out) : x.look(rows);
}

BuiltinModel rows_method_of(const SymRef&, const char* name) { return rows_method(name); }

// A loop that is one node has at least one turn.
bool rows_truth(Executor& x, const SymRef& rows, bool* out) {
  return *out = true, rows->tensor || x.look(rows);
}

bool rows_length(Executor& x, const SymRef& rows, SymRef* out) {
  if (!rows->tensor) return x.look(rows);
  *out = x.sizes().binary(SizeOp::kAdd, x.sizes().dims(rows->tensor)[0],
                          sym_int(static_cast<int64_t>(rows->items.size())));
  return *out || x.look(rows);
}

int rows_rebuild(ExitBuilder& exit, const SymRef& value) {
  exit.executor().refuse_rows(*value);
  return -1;
}

}  // namespace

const ValueKind value_rows = {.name = "list that a loop makes",
                              .type = rows_type,
                              .refuse = rows_refuse,
                              .asked_unread = true,
                              .truth = rows_truth,
                              .length = rows_length,
                              .subscript = rows_subscript,
                              .attribute = rows_attribute,
                              .method = rows_method_of,
                              .rebuild = rows_rebuild};

}  // namespace msjit
