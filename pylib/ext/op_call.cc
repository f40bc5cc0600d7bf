#include "pylib/ext/op_call.h"

#include <cstddef>
#include <string>
#include <vector>

#include "guards/py/host_call.h"
#include "kernels/core/registry.h"
#include "kernels/eager/shared_write.h"
#include "pylib/ext/auto_cast.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/custom_gradient.h"
#include "pylib/ext/tensor.h"

namespace msjit {
namespace {

Ref wrap_outputs(const OpDef& op, TensorVec& out) {
  if (op.num_outputs == 1 && out.size() == 1) [[likely]]
    return wrap_tensor(std::move(out[0]));
  Ref tuple = Ref::steal(PyTuple_New(out.size()));
  if (!tuple) return {};
  for (uint32_t i = 0; i < out.size(); ++i) {
    Ref item = wrap_tensor(std::move(out[i]));
    if (!item) return {};
    PyTuple_SET_ITEM(tuple.get(), i, item.release());
  }
  return tuple;
}

// The common call: exact tensors only, one for each parameter.
bool plain_inputs(const OpObject& self, PyObject* const* args, Py_ssize_t count,
                  TensorImpl** inputs) {
  const Signature& signature = self.op->signature;
  if (signature.num_attrs || signature.variadic || count > 4 ||
      count != static_cast<Py_ssize_t>(signature.params.size()))
    return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!is_exact_tensor(args[i])) return false;
    inputs[i] = tensor_of(args[i]).impl();
  }
  return true;
}

PyObject* in_place_target(const OpObject& self, PyObject* const* args, Py_ssize_t count,
                          PyObject* names) {
  if (count > 0) return is_tensor(args[0]) ? args[0] : nullptr;
  PyObject* first = PyTuple_GET_ITEM(self.param_names, 0);
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i)
    if (PyUnicode_Compare(PyTuple_GET_ITEM(names, i), first) == 0 && is_tensor(args[i]))
      return args[i];
  return nullptr;
}

bool write_in_place(const OpDef& op, PyObject* target, const CallArgs& call) {
  if (op.update && !op.has(kNoGrad) && writes_recorded(target, call.inputs)) [[unlikely]] {
    auto value = updated_value(op, borrow(call.inputs), call.attrs);
    if (!value.ok()) return fail(value.take_error());
    if (value.value()) return replace_shared(target, value.take());
  }
  TensorVec out;
  return run_call(op, call.inputs, call.attrs, &out);
}

size_t argument_count(Py_ssize_t count, PyObject* names) {
  return static_cast<size_t>(count + (names ? PyTuple_GET_SIZE(names) : 0));
}

// The result of an op of these arguments. Only views and composites may share their memory.
Ref sharing_result(const OpDef& op, std::span<PyObject* const> args, Ref result) {
  const bool may_share = op.has(kView) || !op.host_kernel();
  if (may_share && result && (!is_tensor(result.get()) || may_be_noted(tensor_of(result.get()))))
    note_sharing(args, result.get());
  return result;
}

Ref call_object(PyObject* callable, PyObject* const* args, size_t nargsf, PyObject* names) {
  const OpObject& self = *reinterpret_cast<OpObject*>(callable);
  const OpDef& op = *self.op;
  const Py_ssize_t count = compat::positional_count(nargsf);
  TensorImpl* inputs[4];
  const bool in_place = op.has(kInPlace);
  if (!names && !in_place && plain_inputs(self, args, count, inputs)) {
    static const Attrs none{};
    return sharing_result(op, {args, static_cast<size_t>(count)},
                          call_op(op, {inputs, static_cast<size_t>(count)}, none));
  }
  CallArgs parsed;
  if (!parse_call(self, args, count, names, &parsed)) return {};
  if (!in_place)
    return sharing_result(op, {args, argument_count(count, names)},
                          call_op(op, parsed.inputs, parsed.attrs));
  PyObject* target = in_place_target(self, args, count, names);
  if (!target)
    return Ref::steal(
        raise(*type_error("[{}] argument to write to, got none, expected a Tensor", op.name)));
  return write_in_place(op, target, parsed) ? Ref::share(target) : Ref();
}

// tp_call: for `f(*args, **kwargs)` everywhere and for every call on 3.7.
Ref call_tuple(PyObject* self, PyObject* args, PyObject* kwargs) {
  return Ref::steal(compat::call_flat(entry<call_object>, self, args, kwargs));
}

PyObject* bind_method(PyObject* self, PyObject* object, PyObject*) noexcept {
  if (!object || object == Py_None) return new_reference(self);
  return PyMethod_New(self, object);
}

Ref op_repr(PyObject* self) { return text_object(fmt::format("<msjit op {}>", op_of(self).name)); }
Ref op_name(PyObject* self) { return Ref::share(reinterpret_cast<OpObject*>(self)->name); }
Ref op_module(PyObject*) { return text_object("msjit.ops"); }
Ref op_reduce(PyObject* self, PyObject*) { return op_name(self); }
void op_dealloc(PyObject*) {}  // op objects live for ever

std::string default_text(const AttrValue& value) {
  if (value.kind() == AttrValue::Kind::kDType)
    return fmt::format("'{}'", dtype_name(value.as_dtype()));
  const bool one_int = value.kind() == AttrValue::Kind::kIntList && value.as_list().size() == 1;
  Ref object = attr_to_python(one_int ? AttrValue(value.as_list()[0]) : value);
  Ref repr = object ? Ref::steal(host::call(host::program, PyObject_Repr, object.get())) : Ref();
  const char* utf8 = repr ? PyUnicode_AsUTF8(repr.get()) : nullptr;
  return utf8 ? utf8 : "None";
}

std::string signature_text(const OpDef& op) {
  std::string out = "(";
  for (const Param& p : op.signature.params) {
    if (out.size() > 1) out += ", ";
    out += p.name;
    if (p.has_default) out += "=" + default_text(p.default_value);
  }
  return out + ")";
}
Ref op_text_signature(PyObject* self) { return text_object(signature_text(op_of(self))); }
Ref op_doc(PyObject* self) {
  const OpDef& op = op_of(self);
  return text_object(fmt::format("{}{}\n\n{}", op.name, signature_text(op), op.doc));
}

const char* kind_name(ParamKind kind) {
  switch (kind) {
    case ParamKind::kTensor: return "Tensor";
    case ParamKind::kOptionalTensor: return "Tensor?";
    case ParamKind::kTensorList: return "Tensor[]";
    case ParamKind::kBool: return "bool";
    case ParamKind::kInt: return "int";
    case ParamKind::kFloat: return "float";
    case ParamKind::kNumber: return "number";
    case ParamKind::kIntList: return "int[]";
    case ParamKind::kDType: return "dtype";
    case ParamKind::kString: return "str";
  }
  return "?";
}

Ref describe_params(const OpDef& op) {
  Ref list = Ref::steal(PyList_New(0));
  for (const Param& p : op.signature.params) {
    Ref value = attr_to_python(p.default_value);
    Ref row = Ref::steal(Py_BuildValue("{s:s,s:s,s:O,s:O,s:O}", "name", p.name.c_str(), "kind",
                                       kind_name(p.kind), "optional",
                                       p.optional ? Py_True : Py_False, "has_default",
                                       p.has_default ? Py_True : Py_False, "default", value.get()));
    if (!row || PyList_Append(list.get(), row.get()) < 0) return {};
  }
  return list;
}

template <class T, class F>
Ref list_of(const std::vector<T>& values, F&& convert) {
  Ref list = Ref::steal(PyList_New(0));
  for (const T& value : values) {
    Ref item = convert(value);
    if (!item || PyList_Append(list.get(), item.get()) < 0) return {};
  }
  return list;
}

Ref describe_sample(const OpSample& sample) {
  Ref shapes = list_of(sample.shapes, [](const std::vector<int64_t>& s) { return shape_tuple(s); });
  Ref range = list_of(sample.low_high, [](double v) { return Ref::steal(PyFloat_FromDouble(v)); });
  Ref dtypes = list_of(sample.dtypes, [](const std::string& s) { return text_object(s); });
  if (!shapes || !range || !dtypes) return {};
  return Ref::steal(Py_BuildValue("{s:O,s:O,s:s,s:O,s:O}", "shapes", shapes.get(), "low_high",
                                  range.get(), "attrs", sample.attrs.c_str(), "dtypes",
                                  dtypes.get(), "check_grad",
                                  sample.check_grad ? Py_True : Py_False));
}

Ref describe_traits(const OpDef& op) {
  static constexpr std::pair<Trait, const char*> kNames[] = {{kPure, "pure"},
                                                             {kElementwise, "elementwise"},
                                                             {kReduction, "reduction"},
                                                             {kView, "view"},
                                                             {kRandom, "random"},
                                                             {kInPlace, "in_place"},
                                                             {kCommutative, "commutative"},
                                                             {kDecompose, "decompose"},
                                                             {kNoGrad, "no_grad"},
                                                             {kCollective, "collective"}};
  Ref list = Ref::steal(PyList_New(0));
  for (auto [trait, name] : kNames)
    if (op.has(trait) && PyList_Append(list.get(), text_object(name).get()) < 0) return {};
  return list;
}

Ref describe_op(const OpDef& op) {
  Ref params = describe_params(op), traits = describe_traits(op);
  Ref samples = list_of(op.samples, describe_sample);
  if (!params || !traits || !samples) return {};
  const bool differentiable = (op.vjp || op.composite) && !op.has(kNoGrad);
  return Ref::steal(Py_BuildValue("{s:s,s:s,s:s,s:s,s:i,s:O,s:O,s:O,s:O}", "name", op.name,
                                  "signature", signature_text(op).c_str(), "doc", op.doc, "numpy",
                                  op.numpy, "num_outputs", op.num_outputs, "params", params.get(),
                                  "traits", traits.get(), "samples", samples.get(),
                                  "differentiable", differentiable ? Py_True : Py_False));
}

PyGetSetDef op_attributes[] = {
    {"__name__", get_attribute<op_name>, nullptr, nullptr, nullptr},
    {"__qualname__", get_attribute<op_name>, nullptr, nullptr, nullptr},
    {"__module__", get_attribute<op_module>, nullptr, nullptr, nullptr},
    {"__doc__", get_attribute<op_doc>, nullptr, nullptr, nullptr},
    {"__text_signature__", get_attribute<op_text_signature>, nullptr, nullptr, nullptr},
    {nullptr}};
PyMethodDef op_methods[] = {{"__reduce_ex__", one_arg<op_reduce>, METH_O, nullptr}, {nullptr}};

}  // namespace

PyTypeObject g_op_type = {PyVarObject_HEAD_INIT(nullptr, 0) "msjit.Op", sizeof(OpObject)};

bool run_call(const OpDef& op, std::span<TensorImpl* const> inputs, const Attrs& attrs,
              TensorVec* out) {
  const auto in = borrow(inputs);
  Status status =
      auto_casts() ? run_auto_cast(op, in, attrs, out) : run_op_unlocking(op, in, attrs, out);
  if (!status.ok() && status.error().message == kHookRaised && PyErr_Occurred()) return false;
  return status.ok() || fail(status.take_error());
}

Ref call_op(const OpDef& op, std::span<TensorImpl* const> inputs, const Attrs& attrs) {
  TensorVec out;
  if (!run_call(op, inputs, attrs, &out)) return {};
  return wrap_outputs(op, out);
}

bool ready_op_type() {
  g_op_type.tp_flags = Py_TPFLAGS_DEFAULT;
  compat::enable_vectorcall(&g_op_type, offsetof(OpObject, vectorcall), true);
  g_op_type.tp_call = entry<call_tuple>;
  g_op_type.tp_descr_get = bind_method;
  g_op_type.tp_repr = entry<op_repr>;
  g_op_type.tp_dealloc = op_dealloc;
  g_op_type.tp_getset = op_attributes;
  g_op_type.tp_methods = op_methods;
  g_op_type.tp_doc = nullptr;
  return PyType_Ready(&g_op_type) == 0;
}

Ref op_object(const OpDef& op) {
  if (op.signature.params.size() > kMaxParams)
    return Ref::steal(raise(*internal_error("[{}] parameters, got {}, expected at most {}", op.name,
                                            op.signature.params.size(), kMaxParams)));
  auto* self = PyObject_New(OpObject, &g_op_type);
  if (!self) return {};
  self->vectorcall = entry<call_object>;
  self->op = &op;
  self->name = PyUnicode_InternFromString(op.name);
  const auto count = static_cast<Py_ssize_t>(op.signature.params.size());
  self->param_names = PyTuple_New(count);
  Ref result = Ref::steal(reinterpret_cast<PyObject*>(self));
  if (!self->name || !self->param_names) return {};
  for (Py_ssize_t i = 0; i < count; ++i)
    PyTuple_SET_ITEM(self->param_names, i,
                     PyUnicode_InternFromString(op.signature.params[i].name.c_str()));
  return result;
}

Ref op_table() {
  Ref list = Ref::steal(PyList_New(0));
  for (const OpDef* op : all_ops()) {
    Ref row = describe_op(*op);
    if (!row || PyList_Append(list.get(), row.get()) < 0) return {};
  }
  return list;
}

Ref attr_to_python(const AttrValue& value) {
  switch (value.kind()) {
    case AttrValue::Kind::kNone: return Ref::none();
    case AttrValue::Kind::kBool: return Ref::share(value.as_bool() ? Py_True : Py_False);
    case AttrValue::Kind::kInt: return Ref::steal(PyLong_FromLongLong(value.as_int()));
    case AttrValue::Kind::kFloat: return Ref::steal(PyFloat_FromDouble(value.as_float()));
    case AttrValue::Kind::kIntList: return shape_tuple(value.as_list());
    case AttrValue::Kind::kDType: return Ref::share(dtype_object(value.as_dtype()));
    case AttrValue::Kind::kString: return text_object(value.as_string());
  }
  return Ref::none();
}

}  // namespace msjit
