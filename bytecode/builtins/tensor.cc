// Tensors in captured code: attributes known from dtype and shape, basic indexing, and methods of the C type that
// are no op of their own. To add a method: write the model, add its row to kTensorMethods.
#include <fmt/core.h>

#include <cstring>

#include "bytecode/exec.h"
#include "guards/py/tensor_object.h"
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
    *out = make_const(tensor_bridge.dtype_object(meta.dtype));
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

// Basic indexing: what every axis keeps, which axes an int drops, where None adds one.
class BasicIndex {
 public:
  BasicIndex(Executor& x, const SymRef& tensor) : x_(x), tensor_(tensor), shape_(tensor->tensor.shape()) {}

  bool run(const std::vector<SymRef>& keys, SymRef* out) {
    int consumed = 0;
    for (const SymRef& key : keys) consumed += !key->is_const(Py_None) && !key->is_const(Py_Ellipsis);
    if (consumed > shape_.rank()) return x_.fail(BreakReason::kRaises, "too many indices");
    bool ellipsis = false;
    for (const SymRef& key : keys) {
      if (key->is_const(Py_Ellipsis)) {
        if (ellipsis) return x_.fail(BreakReason::kTensorIndex, "with two ellipses");
        ellipsis = true;
        for (int n = shape_.rank() - consumed; n > 0; --n) keep();
      } else if (!one(key)) {
        return false;
      }
    }
    while (axis_ < shape_.rank()) keep();
    return emit(out);
  }

 private:
  void keep() { range(0, shape_[axis_], 1); }

  void range(int64_t begin, int64_t end, int64_t step) {
    partial_ |= begin != 0 || end != shape_[axis_] || step != 1;
    begin_.push_back(begin);
    end_.push_back(end);
    step_.push_back(step);
    ++axis_;
    ++result_rank_;
  }

  bool one(const SymRef& key) {
    if (key->is_const(Py_None)) {
      added_.push_back(result_rank_++);
      return true;
    }
    if (key->kind == SymKind::kConst && PyLong_CheckExact(key->object.get())) {
      int64_t index = PyLong_AsLongLong(key->object.get());
      PyErr_Clear();
      if (index < 0) index += shape_[axis_];
      if (index < 0 || index >= shape_[axis_]) return x_.fail(BreakReason::kRaises, "index out of range");
      dropped_.push_back(axis_);
      range(index, index + 1, 1);
      --result_rank_;
      return true;
    }
    Ref slice = key->kind == SymKind::kSlice || key->kind == SymKind::kConst ? constant_object(key) : Ref();
    if (!slice || !PySlice_Check(slice.get())) return x_.fail(BreakReason::kTensorIndex, describe(*key));
    Py_ssize_t begin, end, step;
    if (PySlice_Unpack(slice.get(), &begin, &end, &step) < 0) {
      PyErr_Clear();
      return x_.fail(BreakReason::kRaises, "slice");
    }
    if (step < 0) return x_.fail(BreakReason::kTensorIndex, "with a negative step");
    PySlice_AdjustIndices(shape_[axis_], &begin, &end, step);
    range(begin, std::max(begin, end), step);
    return true;
  }

  bool emit(SymRef* out) {
    SymRef value = tensor_;
    if (partial_) {
      Attrs attrs{AttrValue(begin_), AttrValue(end_), AttrValue(step_)};
      if (!x_.apply(*find_op("slice"), std::span(&value->tensor, 1), attrs, &value)) return false;
    }
    if (!dropped_.empty() && !apply_attr(x_, "squeeze", SymRef(value), AttrValue(dropped_), &value)) return false;
    for (int64_t axis : added_)
      if (!apply_attr(x_, "expand_dims", SymRef(value), AttrValue(axis), &value)) return false;
    // x[...] of everything is still a new tensor.
    if (value == tensor_ && !apply_view(&value)) return false;
    *out = std::move(value);
    return true;
  }

  bool apply_view(SymRef* value) {
    IntList dims;
    for (Dim d : shape_) dims.push_back(d);
    return apply_attr(x_, "reshape", tensor_, AttrValue(std::move(dims)), value);
  }

  Executor& x_;
  const SymRef& tensor_;
  const Shape shape_;
  IntList begin_, end_, step_, dropped_;
  std::vector<int64_t> added_;
  int axis_ = 0;
  int result_rank_ = 0;
  bool partial_ = false;
};

}  // namespace

bool tensor_subscript(Executor& x, const SymRef& tensor, const SymRef& key, SymRef* out) {
  std::vector<SymRef> keys = {key};
  if (!key->is_tensor() && (key->kind == SymKind::kTuple || (key->kind == SymKind::kConst && PyTuple_Check(key->object.get()))))
    keys = *x.heap().items(key);
  for (const SymRef& part : keys)
    if (!x.look(part)) return false;
  if (keys.size() == 1 && keys[0]->is_tensor() && is_integer(keys[0]->tensor.dtype())) {
    const Val inputs[] = {tensor->tensor, keys[0]->tensor};
    Attrs attrs{AttrValue(0)};
    return x.apply(*find_op("gather"), inputs, attrs, out);
  }
  return BasicIndex(x, tensor).run(keys, out);
}

namespace {

bool method_astype(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out) {
  DType dtype;
  if (names || args.size() != 2 || !x.look(args[1]) || args[1]->kind != SymKind::kConst ||
      !tensor_bridge.dtype_of(args[1]->object.get(), &dtype))
    return x.fail(BreakReason::kOpArguments, "astype");
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
