// Tensors in captured code: attributes known from dtype and shape, basic indexing, and methods of
// the C type that are no op of their own. To add a method: write the model, add its row to
// kTensorMethods.
#include <fmt/core.h>

#include <cstring>

#include "bytecode/exec.h"
#include "guards/py/convert.h"
#include "kernels/core/index_plan.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

SymRef integer(int64_t value) { return make_const(Ref::steal(PyLong_FromLongLong(value))); }

bool apply_attr(Executor& x, const char* op, const SymRef& tensor, AttrValue attr, SymRef* out) {
  Attrs attrs;
  attrs.push_back(std::move(attr));
  return x.apply(*find_op(op), std::span(&tensor->tensor, 1), attrs, out);
}

}  // namespace

bool tensor_attr(Executor& x, const SymRef& tensor, const char* name, SymRef* out, bool* known) {
  const Meta& meta = tensor->tensor.meta();
  const std::string_view text(name);
  *known = true;
  if (text == "shape") {
    std::vector<SymRef> dims;
    for (Dim d : meta.shape) dims.push_back(integer(d));
    *out = make_items(SymKind::kTuple, std::move(dims));
  } else if (text == "dtype") {
    *out = make_const(Ref::share(dtype_object(meta.dtype)));
  } else if (text == "ndim") {
    *out = integer(meta.shape.rank());
  } else if (text == "size") {
    *out = integer(meta.shape.numel());
  } else if (text == "itemsize") {
    *out = integer(item_size(meta.dtype));
  } else if (text == "nbytes") {
    *out = integer(item_size(meta.dtype) * meta.shape.numel());
  } else if (text == "T") {
    IntList perm;
    for (int i = meta.shape.rank(); i-- > 0;) perm.push_back(i);
    return apply_attr(x, "transpose", tensor, AttrValue(std::move(perm)), out);
  } else {
    *known = false;
  }
  return true;
}

namespace {

bool index_item(Executor& x, const SymRef& key, IndexItem* out) {
  using Kind = IndexItem::Kind;
  if (key->is_const(Py_None)) return out->kind = Kind::kNewAxis, true;
  if (key->is_const(Py_Ellipsis)) return out->kind = Kind::kEllipsis, true;
  Ref constant = constant_object(key);
  auto int_of = [](PyObject* object, int64_t* value) {
    if (!PyLong_CheckExact(object)) return false;
    *value = PyLong_AsLongLong(object);
    if (*value != -1 || !PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
  };
  if (constant && int_of(constant.get(), &out->start)) return out->kind = Kind::kInt, true;
  if (constant && PySlice_Check(constant.get())) {
    const auto* slice = reinterpret_cast<PySliceObject*>(constant.get());
    out->kind = Kind::kSlice;
    out->has_start = slice->start != Py_None;
    out->has_stop = slice->stop != Py_None;
    if ((!out->has_start || int_of(slice->start, &out->start)) &&
        (!out->has_stop || int_of(slice->stop, &out->stop)) &&
        (slice->step == Py_None || int_of(slice->step, &out->step)))
      return true;
  }
  return x.fail(BreakReason::kTensorIndex, describe(*key));
}

}  // namespace

bool tensor_subscript(Executor& x, const SymRef& tensor, const SymRef& key, SymRef* out) {
  std::vector<SymRef> keys = {key};
  if (!key->is_tensor())
    if (const std::vector<SymRef>* parts = x.heap().items(key);
        parts && key->kind != SymKind::kList)
      keys = *parts;
  InlineVec<IndexItem, 4> items;
  for (const SymRef& part : keys) {
    items.emplace_back();
    if (!x.look(part) || !index_item(x, part, &items.back())) return false;
  }
  auto plan = plan_index(tensor->tensor.shape(), items);
  if (!plan.ok()) return x.fail_op(plan.take_error());
  Val value = apply_basic_index(tensor->tensor, plan.value());
  if (Status status = x.sink().take_error(); !status.ok()) return x.fail_op(std::move(status));
  if (value.id() == tensor->tensor.id()) {  // x[...] is a view of the whole
    IntList dims(std::span<const int64_t>(tensor->tensor.shape()));
    return apply_attr(x, "reshape", tensor, AttrValue(std::move(dims)), out);
  }
  *out = make_tensor(std::move(value));
  return true;
}

namespace {

bool method_astype(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out) {
  DType dtype;
  if (names || args.size() != 2 || !x.look(args[1]) || args[1]->kind != SymKind::kConst ||
      !dtype_from_object(args[1]->object.get(), "astype", &dtype)) {
    PyErr_Clear();
    return x.fail(BreakReason::kOpArguments, "astype");
  }
  if (dtype == args[0]->tensor.dtype())
    return *out = args[0], true;  // the very tensor, as in eager
  return apply_attr(x, "cast", args[0], AttrValue(dtype), out);
}

struct Row {
  const char* name;
  BuiltinModel model;
};
const Row kTensorMethods[] = {{"astype", method_astype}, {"to", method_astype}};

}  // namespace

BuiltinModel find_tensor_method(const char* name) {
  for (const Row& row : kTensorMethods)
    if (std::strcmp(row.name, name) == 0) return row.model;
  return nullptr;
}

}  // namespace msjit
