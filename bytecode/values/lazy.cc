// kLazy: values that have not been looked at. The length of a list may grow from call to call, so
// methods that append to it, and reads of the appended items, do without a look.
#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/handlers/operands.h"
#include "bytecode/language.h"
#include "bytecode/values/build.h"
#include "bytecode/values/sequence.h"
#include "bytecode/values/value_kind.h"

namespace msjit {
namespace {

std::string lazy_describe(const SymValue& value) {
  return value.object ? describe_object(value.object.get()) : "object";
}

// The item that list[-k] reads, if the region has appended it. Null: the list must be looked into.
SymRef appended_item(const SymRef& list, const SymRef& key) {
  Py_ssize_t index = 0;
  const Py_ssize_t size = static_cast<Py_ssize_t>(list->items.size());
  if (!is_unread_list(*list) || !index_value(key, &index)) return nullptr;
  return index < 0 && -index <= size ? list->items[size_t(size + index)] : nullptr;
}

bool lazy_subscript(Executor& x, const SymRef& container, const SymRef& key, SymRef* out) {
  if ((*out = appended_item(container, key))) return true;
  return x.look(container) && x.subscript(container, key, out);
}

BuiltinModel lazy_method(const SymRef& self, const char* name) {
  return is_unread_list(*self) ? find_row(unread_list_methods(), name) : nullptr;
}

bool lazy_attribute(Executor& x, const SymRef& object, PyObject* name, SymRef* out) {
  const char* text = utf8_text(name);
  if (!find_method_model(object, text)) return x.look(object) && x.get_attr(object, name, out);
  x.heap().guard_exact_type(object);
  return may_read(x, object, text) && bound_by_name(object, name, out);
}

// list += list or tuple, without a look into the list on the left.
bool lazy_binary(Executor& x, const SymRef& list, const SymRef& items, BinaryOp op, bool in_place,
                 SymRef* out, bool* known) {
  if (!in_place || op != BinaryOp::kAdd || !is_unread_list(*list)) return true;
  if (!x.look_number(items)) return false;
  *known = is_unread_list(*list) && is_plain_sequence(x, items);
  if (!*known) return true;
  SymRef none;
  x.heap().guard_exact_type(list);
  return call_builtin_method(x, "extend", {list, items}, nullptr, &none) && (*out = list, true);
}

bool lazy_replay(ExitBuilder& exit, const SymRef& value, int target) {
  return exit.write({&effect_list_append, target, {}, {}}, value->items);
}

}  // namespace

const ValueKind value_lazy = {.describe = lazy_describe,
                              .asked_unread = true,
                              .subscript = lazy_subscript,
                              .attribute = lazy_attribute,
                              .method = lazy_method,
                              .binary = lazy_binary,
                              .replay = lazy_replay};

}  // namespace msjit
