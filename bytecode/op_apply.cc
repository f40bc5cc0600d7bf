// Calls of ops with symbolic arguments: the same binding by Signature as the eager call, on SymValues. Arguments that the
// eager call would refuse end the region, and the interpreter raises the eager call's error.
#include <fmt/core.h>

#include "bytecode/exec.h"
#include "guards/py/tensor_object.h"

namespace msjit {
namespace {

bool int_value(const SymRef& value, int64_t* out) {
  if (value->kind != SymKind::kConst || !PyLong_Check(value->object.get())) return false;
  *out = PyLong_AsLongLong(value->object.get());
  if (*out == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  return true;
}

bool int_list(Executor& x, const SymRef& value, IntList* out) {
  int64_t number;
  if (int_value(value, &number)) {
    out->push_back(number);
    return true;
  }
  const std::vector<SymRef>* items = x.heap().items(value);
  if (!items) return false;
  for (const SymRef& item : *items) {
    if (!x.heap().realize(item) || !int_value(item, &number)) return false;
    out->push_back(number);
  }
  return true;
}

// Converts to the attribute kind; false when the value does not fit it.
bool to_attr(Executor& x, const Param& param, const SymRef& value, AttrValue* out) {
  if (!x.heap().realize(value)) return false;
  PyObject* object = value->kind == SymKind::kConst ? value->object.get() : nullptr;
  if (object == Py_None) {
    *out = AttrValue();
    return param.optional;
  }
  int64_t number = 0;
  switch (param.kind) {
    case ParamKind::kBool:
      if (!object || !PyBool_Check(object)) return false;
      *out = AttrValue(object == Py_True);
      return true;
    case ParamKind::kInt:
      if (!int_value(value, &number)) return false;
      *out = AttrValue(number);
      return true;
    case ParamKind::kFloat:
      if (object && PyFloat_CheckExact(object)) return *out = AttrValue(PyFloat_AS_DOUBLE(object)), true;
      if (!int_value(value, &number)) return false;
      *out = AttrValue(static_cast<double>(number));
      return true;
    case ParamKind::kNumber:
      if (object && PyBool_Check(object)) return *out = AttrValue(object == Py_True), true;
      if (object && PyFloat_CheckExact(object)) return *out = AttrValue(PyFloat_AS_DOUBLE(object)), true;
      if (!int_value(value, &number)) return false;
      *out = AttrValue(number);
      return true;
    case ParamKind::kIntList: {
      IntList list;
      if (!int_list(x, value, &list)) return false;
      *out = AttrValue(std::move(list));
      return true;
    }
    case ParamKind::kDType: {
      DType dtype;
      if (!object || !tensor_bridge.dtype_of(object, &dtype)) return false;
      *out = AttrValue(dtype);
      return true;
    }
    case ParamKind::kString: {
      if (!object || !PyUnicode_CheckExact(object)) return false;
      const char* text = PyUnicode_AsUTF8(object);
      if (!text) PyErr_Clear();
      if (text) *out = AttrValue(text);
      return text != nullptr;
    }
    default: return false;
  }
}

bool to_inputs(Executor& x, const Param& param, const SymRef& value, std::vector<Val>* inputs) {
  if (param.kind == ParamKind::kTensorList) {
    if (!x.look(value)) return false;
    const std::vector<SymRef>* items = x.heap().items(value);
    if (!items) return x.fail(BreakReason::kOpArguments, describe(*value));
    for (const SymRef& item : std::vector<SymRef>(*items)) {
      inputs->emplace_back();
      if (!x.to_val(item, &inputs->back())) return false;
    }
    return true;
  }
  if (param.kind == ParamKind::kOptionalTensor) {
    if (!x.look(value)) return false;
    if (value->is_const(Py_None)) return inputs->emplace_back(), true;
  }
  inputs->emplace_back();
  return x.to_val(value, &inputs->back());
}

// Puts every argument at its parameter; null where the default holds.
bool bind(Executor& x, const OpDef& op, const std::vector<SymRef>& args, PyObject* names, std::vector<SymRef>* bound) {
  const auto& params = op.signature.params;
  const size_t keywords = names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  const size_t positional = args.size() - keywords;
  if (positional > params.size()) return x.fail(BreakReason::kOpArguments, op.name);
  bound->resize(params.size());
  for (size_t i = 0; i < positional; ++i) (*bound)[i] = args[i];
  for (size_t k = 0; k < keywords; ++k) {
    const char* name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(k)));
    size_t i = 0;
    while (i < params.size() && params[i].name != name) ++i;
    if (i == params.size() || (*bound)[i]) return x.fail(BreakReason::kOpArguments, op.name);
    (*bound)[i] = args[positional + k];
  }
  return true;
}

}  // namespace

bool Executor::call_op(const OpDef& op, std::vector<SymRef> args, PyObject* names, SymRef* out) {
  std::vector<SymRef> bound;
  if (!bind(*this, op, args, names, &bound)) return false;
  std::vector<Val> inputs;
  Attrs attrs;
  for (size_t i = 0; i < bound.size(); ++i) {
    const Param& param = op.signature.params[i];
    if (!bound[i]) {
      if (!param.has_default) return fail(BreakReason::kOpArguments, op.name);
      if (param.is_tensor())
        inputs.emplace_back();
      else
        attrs.push_back(param.default_value);
      continue;
    }
    if (param.is_tensor()) {
      if (!to_inputs(*this, param, bound[i], &inputs)) return false;
      continue;
    }
    AttrValue attr;
    if (!to_attr(*this, param, bound[i], &attr))
      return fail(BreakReason::kOpArguments, fmt::format("{} ({})", op.name, param.name));
    attrs.push_back(std::move(attr));
  }
  return apply(op, inputs, attrs, out);
}

}  // namespace msjit
