// Calls of ops with symbolic arguments. SymValues are bound to parameters by the op's Signature,
// like objects in an eager call. Arguments that the eager call would refuse end the region, and the
// interpreter raises the eager call's error.
#include <fmt/core.h>

#include "bytecode/numpy_scalars.h"
#include "bytecode/scan_capture.h"
#include "bytecode/tensor_value.h"
#include "bytecode/tensor_write.h"
#include "guards/py/op_args.h"
#include "kernels/core/auto_cast.h"

namespace msjit {
namespace {

bool int_value(const SymRef& given, int64_t* out) {
  const SymRef value = plain_index(given);
  if (value->kind != SymKind::kConst || !PyLong_Check(value->object.get()) ||
      PyBool_Check(value->object.get()))
    return false;
  *out = PyLong_AsLongLong(value->object.get());
  if (*out == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  return true;
}

// The value of an int. An open size is also noted as item `item` of attribute `at`.
bool size_value(const SymRef& value, int32_t at, int32_t item, std::vector<TracedSize>* sizes,
                int64_t* out) {
  if (value->kind != SymKind::kSize) return int_value(value, out);
  *out = PyLong_AsLongLong(value->object.get());
  sizes->push_back({at, item, value->size});
  return true;
}

bool int_list(Executor& x, const SymRef& value, int32_t at, std::vector<TracedSize>* sizes,
              IntList* out) {
  int64_t number;
  if (size_value(value, at, 0, sizes, &number)) {
    out->push_back(number);
    return true;
  }
  const std::vector<SymRef>* items = x.heap().items(value);
  if (!items) return false;
  for (const SymRef& item : *items) {
    if (!x.heap().realize_open(item) ||
        !size_value(item, at, static_cast<int32_t>(out->size()), sizes, &number))
      return false;
    out->push_back(number);
  }
  return true;
}

// Converts a known object that is no size. False, with no exception set: it does not fit.
bool to_plain_attr(ParamKind kind, PyObject* object, AttrValue* out) {
  if (!object) return false;
  if (kind == ParamKind::kBool && PyBool_Check(object))
    return *out = AttrValue(object == Py_True), true;
  if (kind == ParamKind::kDType) {
    DType dtype;
    if (!dtype_from_object(object, "jit", &dtype)) return PyErr_Clear(), false;
    return *out = AttrValue(dtype), true;
  }
  if (kind != ParamKind::kString || !PyUnicode_CheckExact(object)) return false;
  const char* const text = utf8_text(object);
  if (!text) return PyErr_Clear(), false;
  return *out = AttrValue(text), true;
}

// Converts a number for attribute `at`. False: it does not fit.
bool to_number_attr(ParamKind kind, const SymRef& value, int32_t at, std::vector<TracedSize>* sizes,
                    AttrValue* out) {
  PyObject* const object = value->kind == SymKind::kConst ? value->object.get() : nullptr;
  if (kind == ParamKind::kNumber && object && PyBool_Check(object))
    return *out = AttrValue(object == Py_True), true;
  if (kind != ParamKind::kInt && object && PyFloat_CheckExact(object))
    return *out = AttrValue(PyFloat_AS_DOUBLE(object)), true;
  int64_t number = 0;
  if (!size_value(value, at, -1, sizes, &number)) return false;
  *out = kind == ParamKind::kFloat ? AttrValue(static_cast<double>(number)) : AttrValue(number);
  return true;
}

// Converts a value to the kind of attribute `at`; false when it does not fit.
bool to_attr(Executor& x, const OpDef& op, const Param& param, const SymRef& value, int32_t at,
             std::vector<TracedSize>* sizes, AttrValue* out) {
  const bool is_number = param.kind == ParamKind::kInt || param.kind == ParamKind::kNumber ||
                         param.kind == ParamKind::kFloat;
  const bool takes_size = is_number || param.kind == ParamKind::kIntList;
  if (!(takes_size ? x.heap().realize_open(value) : x.heap().realize(value))) return false;
  PyObject* object = value->kind == SymKind::kConst ? value->object.get() : nullptr;
  if (object == Py_None) {
    *out = AttrValue();
    return param.optional;
  }
  if (is_numpy_scalar(value))
    return attr_from_object(op, param, object, out) || (PyErr_Clear(), false);
  if (is_number) return to_number_attr(param.kind, value, at, sizes, out);
  if (param.kind != ParamKind::kIntList) return to_plain_attr(param.kind, object, out);
  IntList list;
  if (!int_list(x, value, at, sizes, &list)) return false;
  *out = AttrValue(std::move(list));
  return true;
}

bool to_inputs(Executor& x, const OpDef& op, const Param& param, const SymRef& value,
               std::vector<Val>* inputs) {
  if (param.kind == ParamKind::kTensorList) {
    if (!x.look(value)) return false;
    const std::vector<SymRef>* items = x.heap().items(value);
    if (!items) return x.fail(BreakReason::kOpArguments, describe(*value));
    for (const SymRef& item : std::vector<SymRef>(*items)) {
      inputs->emplace_back();
      if (!x.to_val(item, &inputs->back())) return false;
      if (!item->is_tensor()) return x.fail(BreakReason::kOpArguments, describe(*item));
    }
    return true;
  }
  if (param.kind == ParamKind::kOptionalTensor) {
    if (!x.look(value)) return false;
    if (value->is_const(Py_None)) return inputs->emplace_back(), true;
  }
  inputs->emplace_back();
  if (!x.to_val(value, &inputs->back())) return false;
  PyObject* number = value->kind == SymKind::kConst ? value->object.get() : nullptr;
  if (!value->is_tensor() && !takes_number(op, param, number))  // it is a number or an enum member
    return x.fail(BreakReason::kOpArguments, describe(*value));
  return true;
}

// The arguments of a call, converted.
struct OpArguments {
  std::vector<Val> inputs;
  std::vector<SymRef> tensors;  // the argument of each of `inputs`, or null
  Attrs attrs;
  std::vector<TracedSize> sizes;  // open ones among the attributes
  SymRef rows;                    // the list of a loop's rows that is given for a list of tensors
};

// The argument for parameter `i`; null where its default holds.
SymRef argument_of(const BoundArgs& bound, int i, const std::vector<SymRef>& args,
                   Py_ssize_t positional) {
  if (i == bound.packed)
    return make_items(SymKind::kTuple, {args.begin() + bound.from[i], args.begin() + positional});
  return bound.from[i] >= 0 ? args[bound.from[i]] : nullptr;
}

bool add_tensor(Executor& x, const OpDef& op, const Param& param, const SymRef& value,
                OpArguments* out) {
  if (!value)
    out->inputs.emplace_back();
  else if (value->kind == SymKind::kRows && param.kind == ParamKind::kTensorList)
    out->rows = value;
  else if (!to_inputs(x, op, param, value, &out->inputs))
    return false;
  out->tensors.push_back(value);
  return true;
}

bool add_attr(Executor& x, const OpDef& op, const Param& param, const SymRef& value,
              OpArguments* out) {
  AttrValue attr = param.default_value;
  if (value &&
      !to_attr(x, op, param, value, static_cast<int32_t>(out->attrs.size()), &out->sizes, &attr))
    return x.fail(BreakReason::kOpArguments, fmt::format("{} ({})", op.name, param.name));
  out->attrs.push_back(std::move(attr));
  return true;
}

}  // namespace

// Replaces a number that a tensor or a loop gives by a tensor, beside another tensor.
static bool take_numbers(Executor& x, const OpDef& op, std::vector<SymRef>* args) {
  if (args->size() != 2 || !rounds_once(op)) return true;
  for (size_t i : {0, 1}) {
    const SymRef number = (*args)[i], &other = (*args)[1 - i];
    if (!is_unknown(*number) || is_unknown(*other)) continue;
    if (!x.look_number(other)) return false;
    if (!other->is_tensor() || other->tensor.meta().weak) continue;
    SymRef tensor;
    if (!operand_beside(x, number, other->tensor.dtype(), &tensor)) return false;
    if (tensor) (*args)[i] = std::move(tensor);
  }
  return true;
}

bool Executor::call_op(PyObject* callable, std::vector<SymRef> args, PyObject* names, SymRef* out) {
  const OpObject& object = *reinterpret_cast<OpObject*>(callable);
  const OpDef& op = *object.op;
  const Py_ssize_t positional =
      static_cast<Py_ssize_t>(args.size()) - (names ? PyTuple_GET_SIZE(names) : 0);
  BoundArgs bound;
  if (!bind_args(op, object.param_names, positional, names, &bound)) {
    PyErr_Clear();
    return fail(BreakReason::kOpArguments, op.name);
  }
  if (!take_numbers(*this, op, &args)) return false;
  OpArguments given;
  for (size_t i = 0; i < op.signature.params.size(); ++i) {
    const Param& param = op.signature.params[i];
    const SymRef value = argument_of(bound, static_cast<int>(i), args, positional);
    if (!(param.is_tensor() ? add_tensor : add_attr)(*this, op, param, value, &given)) return false;
  }
  if (given.rows) return join_rows(*this, op, given.rows, given.attrs, out);
  if (op.has(kInPlace))
    return apply_in_place(*this, op, given.tensors, given.inputs, given.attrs, out);
  return apply_called(op, given.inputs, given.attrs, std::move(given.sizes), out);
}

bool Executor::apply_called(const OpDef& op, std::span<const Val> inputs, const Attrs& attrs,
                            std::vector<TracedSize> attr_sizes, SymRef* out) {
  AutoCastCall cast;
  if (auto_casts_.open()) {
    cast = auto_cast(op, inputs, auto_casts_.dtype());
    if (Status status = sink_.take_error(); !status.ok()) return fail_op(std::move(status));
    inputs = cast.inputs;
  }
  sizes_.set_attr_sizes(std::move(attr_sizes));
  const bool done = apply(op, inputs, attrs, out);
  sizes_.set_attr_sizes({});  // where the op failed, they are not those of the next one
  if (!done || !cast.bias) return done;
  *out = make_tensor(add_bias(op, (*out)->tensor, cast.bias));
  Status status = sink_.take_error();
  return status.ok() || fail_op(std::move(status));
}

}  // namespace msjit
