// kRows: lists to which a Scan appends. In the body such a list only supports append; behind the
// loop it is only known how to stack, concatenate, reverse or iterate it.
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

bool flip_rows(Executor& x, const Val& rows, Val* out) {
  const SymRef none = make_const(Ref::none());
  SymRef flipped;
  if (!x.subscript(make_tensor(rows), make_items(SymKind::kSlice, {none, none, sym_int(-1)}),
                   &flipped))
    return false;
  *out = flipped->tensor;
  return true;
}

// list.reverse() of a list that was empty before the loop. Not in an arm, where it could not be
// undone.
bool rows_reverse(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out) {
  const SymRef& rows = args[0];
  if (names || args.size() != 1 || !rows->tensor || !rows->items.empty() || x.is_forked_now())
    return x.look(rows);
  *out = make_const(Ref::none());
  return flip_rows(x, rows->tensor, &rows->tensor);
}

bool is_backwards(const SymRef& key) {
  const Ref known = constant_object(key);
  if (!known || !PySlice_Check(known.get())) return false;
  const auto* slice = reinterpret_cast<PySliceObject*>(known.get());
  return slice->start == Py_None && slice->stop == Py_None && PyLong_CheckExact(slice->step) &&
         PyLong_AsLong(slice->step) == -1;
}

}  // namespace

BuiltinModel rows_method(const char* name) {
  if (std::string_view(name) == "reverse") return rows_reverse;
  return std::string_view(name) == "append" ? rows_append : nullptr;
}

// rows[::-1] is another such list. With other keys the loop is unrolled instead.
bool rows_subscript(Executor& x, const SymRef& rows, const SymRef& key, SymRef* out) {
  if (!rows->tensor || !rows->items.empty() || !is_backwards(key)) return x.look(rows);
  *out = make_sym(SymKind::kRows);
  (*out)->loop = rows->loop;
  return flip_rows(x, rows->tensor, &(*out)->tensor);
}

namespace {

// The stacked items of the list: those from before the loop, then those that the loop has appended.
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
  if (!concat)  // stack() gives new memory
    return axis == 0 || x.apply(op_copy, std::span(&stacked->tensor, 1), {}, out);
  const SymRef count = dims[0];
  dims.erase(dims.begin());
  SymRef& merged = dims[static_cast<size_t>(axis)];
  const SymRef product = x.sizes().binary(SizeOp::kMul, count, merged);
  merged = product ? product : sym_int(-1);
  SymRef reshape;
  const Ref name_of = interned_text("reshape");
  return x.get_attr(stacked, name_of.get(), &reshape) &&
         x.call(reshape, {make_items(SymKind::kTuple, std::move(dims))}, nullptr, out);
}

void Executor::refuse_rows(const SymValue& rows) {
  if (!rows.tensor) return;
  rows.loop->refused = true;
  control_->restart = true;
}

}  // namespace msjit
