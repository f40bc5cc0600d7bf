// kScalar: Python numbers made of tensors. `tensor` has the value, `cls` is the number's class.
#include <fmt/core.h>

#include "bytecode/tensor_value.h"
#include "bytecode/values/computed_graph.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "kernels/core/registry.h"
#include "kernels/device/device_tensors.h"

namespace msjit {
namespace {

PyTypeObject* item_type(DType dtype) {
  if (is_complex(dtype)) return &PyComplex_Type;
  return is_bool(dtype) ? &PyBool_Type : is_integer(dtype) ? &PyLong_Type : &PyFloat_Type;
}

// Ends the region if the tensor has not exactly one element, because Python then raises.
bool require_one_element(Executor& x, const SymRef& tensor, const char* what) {
  const SymRef elements = x.sizes().numel(tensor->tensor);
  if (elements->kind == SymKind::kSize && !x.look(elements)) return false;
  const int64_t n = tensor->tensor.shape().numel();
  return n == 1 ||
         x.fail(BreakReason::kRaises, fmt::format("{} of a tensor of {} elements", what, n));
}

// Whether a Python number of this class, made of a tensor of dtype `from`, can be used beside a
// tensor of dtype `beside` without being rounded more than once.
bool meets_exactly(PyTypeObject* number, DType from, DType beside) {
  const bool wide = beside == DType::kFloat32 || beside == DType::kFloat64;
  if (number == &PyFloat_Type) return wide && is_float(from);
  if (number != &PyLong_Type || !is_integer(from) || is_wide_unsigned(from)) return false;
  const bool small = item_size(from) <= 4;
  return beside == DType::kInt64 || ((wide || beside == DType::kInt32) && small);
}

bool apply_attr(Executor& x, const char* op, const SymRef& in, AttrValue attr, SymRef* out) {
  Attrs attrs;
  attrs.push_back(std::move(attr));
  return x.apply(*find_op(op), std::span(&in->tensor, 1), attrs, out);
}

const OpDef* exact_op(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd: return find_op("add");
    case BinaryOp::kSubtract: return find_op("sub");
    case BinaryOp::kMul: return find_op("mul");
    case BinaryOp::kTrueDivide: return find_op("div");
    default: return nullptr;
  }
}

}  // namespace

bool rounds_once(const OpDef& op) {
  static constexpr const char* kNames[] = {"add",     "sub",           "mul",     "div",
                                           "less",    "less_equal",    "equal",   "not_equal",
                                           "greater", "greater_equal", "maximum", "minimum"};
  return std::ranges::any_of(kNames,
                             [&](const char* name) { return op.name == std::string_view(name); });
}

bool index_of_number(Executor& x, const SymRef& given, SymRef* out) {
  SymRef value, tensor;
  *out = given;
  if (given->kind == SymKind::kTurn) return true;
  if (!number_of_turn(x, given, &value)) return false;
  const bool unknown = value->kind == SymKind::kScalar || value->kind == SymKind::kComputed;
  if (!unknown || type_of(*value) != &PyLong_Type) return true;
  if (!python_number(x, value, &tensor)) return false;
  if (tensor) *out = std::move(tensor);
  return true;
}

bool number_of_tensor(Executor& x, const SymRef& tensor, PyTypeObject* type, SymRef* out) {
  const DType dtype = tensor->tensor.dtype();
  PyTypeObject* const number = type ? type : item_type(dtype);
  const std::string what = type ? fmt::format("{}()", type->tp_name) : "item()";
  if (!require_one_element(x, tensor, what.c_str())) return false;
  if (is_complex(dtype) && (number == &PyLong_Type || number == &PyFloat_Type))
    return x.fail(BreakReason::kRaises, what + " of a complex tensor");
  const bool may_raise = number == &PyLong_Type && is_float(dtype);  // a NaN or an infinity
  if (may_raise && x.in_arm()) return x.fail(BreakReason::kTensorValue, what);
  SymRef made = make_sym(SymKind::kScalar);
  made->tensor = tensor->tensor;
  made->cls = Ref::share(reinterpret_cast<PyObject*>(number));
  if (may_raise) x.add_demand(made);
  *out = std::move(made);
  return true;
}

bool operand_beside(Executor& x, const SymRef& value, DType beside, SymRef* out) {
  SymRef number;
  if (!number_of_turn(x, value, &number, true)) return false;
  if (number->kind == SymKind::kComputed) return number_beside(x, number, beside, out);
  *out = nullptr;
  if (number->kind != SymKind::kScalar) return true;
  if (!meets_exactly(type_of(*number), number->tensor.dtype(), beside)) return true;
  return apply_attr(x, "cast", make_tensor(number->tensor), AttrValue(beside), out) &&
         apply_attr(x, "reshape", SymRef(*out), AttrValue(IntList()), out) &&
         x.apply(*find_op("stop_gradient"), std::span(&(*out)->tensor, 1), {}, out);
}

// `def` of a number and a tensor. `out` stays null where the number cannot be a tensor.
static bool beside_tensor(Executor& x, const SymRef& a, const SymRef& b, const OpDef& def,
                          SymRef* out) {
  const bool left = is_unknown(*a);
  const SymRef &scalar = left ? a : b, &other = left ? b : a;
  const bool plain = scalar->kind == SymKind::kScalar || scalar->kind == SymKind::kComputed;
  if (!plain || is_unknown(*other)) return true;
  if (!x.look(other)) return false;
  if (!other->is_tensor() || other->tensor.meta().weak) return true;
  SymRef value;
  if (!operand_beside(x, scalar, other->tensor.dtype(), &value)) return false;
  if (!value) return true;
  const Val inputs[2] = {left ? value->tensor : other->tensor,
                         left ? other->tensor : value->tensor};
  return x.apply(def, inputs, {}, out);
}

bool scalar_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, SymRef* out) {
  const OpDef* const def = exact_op(op);
  if (def && !beside_tensor(x, a, b, *def, out)) return false;
  return *out || x.look(is_unknown(*a) ? a : b);
}

bool scalar_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out,
                    bool* known) {
  if (!beside_tensor(x, a, b, *compare_op(op), out)) return false;
  return *known = *out != nullptr, true;
}

Ref number_from(const Tensor& tensor, PyObject* type) {
  const auto here = devices::to_host(tensor);
  if (!here.ok()) return raise(here.error()), Ref();
  const Ref element = element_to_python(tensor.dtype(), here.value().data());
  if (!element || reinterpret_cast<PyObject*>(Py_TYPE(element.get())) == type) return element;
  return Ref::steal(
      host::call(host::program, PyObject_CallFunctionObjArgs, type, element.get(), nullptr));
}

}  // namespace msjit
