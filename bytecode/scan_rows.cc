// Lists that a captured loop appends to: in its body nothing but append is known of one, behind it
// nothing but how to stack or concatenate it.
#include <algorithm>

#include "bytecode/builtins/models.h"
#include "bytecode/scan_capture.h"
#include "kernels/core/registry.h"

namespace msjit {

extern const OpDef op_copy, op_transpose;

bool append_row(Executor& x, const SymRef& rows, const SymRef& item) {
  if (rows->tensor) return x.look(rows);
  rows->items.push_back(item);
  return true;
}

namespace {

bool rows_append(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out) {
  if (names || args.size() != 2) return x.look(args[0]);
  *out = make_const(Ref::none());
  return append_row(x, args[0], args[1]);
}

}  // namespace

BuiltinModel rows_method(const char* name) {
  return std::string_view(name) == "append" ? rows_append : nullptr;
}

namespace {

// list(rows) stacked: the items from before the loop, then those it has appended.
bool stack_rows(Executor& x, const SymRef& rows, SymRef* out) {
  if (rows->items.empty()) return *out = make_tensor(rows->tensor), true;
  Attrs first;
  first.push_back(AttrValue(int64_t{0}));
  Vals before;
  for (const SymRef& item : rows->items) {
    before.emplace_back();
    if (!x.to_val(item, &before.back())) return false;
    if (!(before.back().meta() == row_meta(rows->tensor.meta()))) return x.look(rows);
  }
  SymRef stacked;
  if (!x.apply(*find_op("stack"), before, first, &stacked)) return false;
  const Val both[] = {stacked->tensor, rows->tensor};
  return x.apply(*find_op("concat"), both, first, out);
}

// Moves the first axis to `axis`.
bool move_first(Executor& x, int axis, SymRef* value) {
  IntList perm;
  for (int d = 0; d < (*value)->tensor.rank(); ++d)
    perm.push_back(d < axis ? d + 1 : d == axis ? 0 : d);
  Attrs attrs;
  attrs.push_back(AttrValue(std::move(perm)));
  return axis == 0 || x.apply(op_transpose, std::span(&(*value)->tensor, 1), attrs, value);
}

}  // namespace

bool join_rows(Executor& x, const OpDef& op, const SymRef& rows, const Attrs& attrs, SymRef* out) {
  const std::string_view name = op.name;
  const bool concat = name == "concat";
  if (!rows->tensor || (name != "stack" && !concat) || attrs[0].kind() != AttrValue::Kind::kInt)
    return x.look(rows);
  SymRef stacked;
  if (!stack_rows(x, rows, &stacked)) return false;
  const int rank = stacked->tensor.rank() - (concat ? 1 : 0);
  int64_t axis = attrs[0].as_int();
  if (axis < -rank || axis >= rank) return x.look(rows);
  axis += axis < 0 ? rank : 0;
  std::vector<SymRef> dims = x.sizes().dims(stacked->tensor);
  if (!move_first(x, static_cast<int>(axis), &stacked)) return false;
  *out = stacked;
  if (!concat)  // a stack has memory of its own
    return axis == 0 || x.apply(op_copy, std::span(&stacked->tensor, 1), {}, out);
  const SymRef count = dims[0];
  dims.erase(dims.begin());
  SymRef& merged = dims[static_cast<size_t>(axis)];
  const SymRef product = x.sizes().binary(SizeOp::kMul, count, merged);
  merged = product ? product : sym_int(-1);
  SymRef reshape;
  const Ref name_of = Ref::steal(PyUnicode_InternFromString("reshape"));
  return x.get_attr(stacked, name_of.get(), &reshape) &&
         x.call(reshape, {make_items(SymKind::kTuple, std::move(dims))}, nullptr, out);
}

void Executor::refuse_rows(const SymValue& rows) {
  if (!rows.tensor) return;
  rows.loop->refused = true;
  control_->restart = true;
}

}  // namespace msjit
