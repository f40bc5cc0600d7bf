// Operators of Tensor. Two exact tensors go straight to the kernel. Numbers, arrays and, for some
// operators, lists are first turned into tensors; a number becomes a weak scalar, whose dtype gives
// way to that of the tensor. There are no in-place slots: `x += y` rebinds x, as in MindSpore.
#include "guards/py/host_call.h"
#include "kernels/core/registry.h"
#include "kernels/core/scalar_num.h"
#include "kernels/device/device_tensors.h"
#include "pylib/ext/tensor.h"

namespace msjit {
namespace {

enum Operator {
  kAddOp,
  kSubOp,
  kMulOp,
  kDivOp,
  kFloorDivOp,
  kModOp,
  kPowOp,
  kMatMulOp,
  kAndOp,
  kOrOp,
  kXorOp,
  kLeftShiftOp,
  kRightShiftOp,
  kLtOp,
  kLeOp,
  kEqOp,
  kNeOp,
  kGtOp,
  kGeOp,
  kNegOp,
  kAbsOp,
  kInvertOp,
  kRoundOp,
  kNumOperators,
};
constexpr const char* kOpNames[kNumOperators] = {"add",
                                                 "sub",
                                                 "mul",
                                                 "div",
                                                 "floor_div",
                                                 "mod",
                                                 "pow",
                                                 "matmul",
                                                 "bitwise_and",
                                                 "bitwise_or",
                                                 "bitwise_xor",
                                                 "bitwise_left_shift",
                                                 "bitwise_right_shift",
                                                 "less",
                                                 "less_equal",
                                                 "equal",
                                                 "not_equal",
                                                 "greater",
                                                 "greater_equal",
                                                 "neg",
                                                 "abs",
                                                 "logical_not",
                                                 "round"};
const OpDef* g_ops[kNumOperators];

const Attrs& default_attrs(const OpDef& op, Attrs* made) {
  static const Attrs none{};
  if (op.signature.num_attrs == 0) return none;
  for (const Param& p : op.signature.params)
    if (!p.is_tensor()) made->push_back(p.default_value);
  return *made;
}

Ref run_operator(Operator which, std::span<TensorImpl* const> inputs) {
  const OpDef* op = g_ops[which];
  if (!op) return Ref::share(Py_NotImplemented);
  Attrs made;
  return call_op(*op, inputs, default_attrs(*op, &made));
}

bool is_operand(PyObject* object) {
  return is_tensor(object) || is_number(object) || PyList_Check(object) || PyTuple_Check(object) ||
         is_array_like(object);
}

bool operand(PyObject* object, const char* where, Tensor* made, TensorImpl** out) {
  if (is_tensor(object)) {
    *out = tensor_of(object).impl();
    return true;
  }
  if (!operand_from_object(object, where, made)) return false;
  *out = made->impl();
  return true;
}

bool is_sequence(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

// As in MindSpore, these operators take a list or tuple; for the others Python raises its
// TypeError.
bool takes_sequence(Operator which, PyObject* left) {
  return which == kAddOp || which == kSubOp || which == kFloorDivOp ||
         (which == kPowOp && is_sequence(left));
}

// A tensor and a list or tuple, whose elements take the tensor's dtype.
Ref sequence_operands(Operator which, PyObject* a, PyObject* b) {
  const bool first = is_tensor(a);  // the tensor is the left operand
  PyObject *const tensor = first ? a : b, *const sequence = first ? b : a;
  const DType dtype = tensor_of(tensor).dtype();
  // Python repeats a list by what is an index, and otherwise complains of the index.
  if (which == kMulOp && !is_integer(dtype) && !is_bool(dtype))
    return fail(type_error("[mul] operand, got {}, expected a Tensor or number",
                           type_name(sequence))),
           Ref();
  if (!takes_sequence(which, a)) return Ref::share(Py_NotImplemented);
  Tensor made;
  if (!operand_from_sequence(sequence, kOpNames[which], dtype, &made)) return {};
  TensorImpl* const own = tensor_of(tensor).impl();
  TensorImpl* const inputs[2] = {first ? own : made.impl(), first ? made.impl() : own};
  return run_operator(which, inputs);
}

Ref mixed_operands(Operator which, PyObject* a, PyObject* b) {
  if (!is_operand(a) || !is_operand(b)) return Ref::share(Py_NotImplemented);
  if (is_sequence(a) || is_sequence(b)) return sequence_operands(which, a, b);
  Tensor made_a, made_b;
  TensorImpl* inputs[2];
  if (!operand(a, kOpNames[which], &made_a, &inputs[0]) ||
      !operand(b, kOpNames[which], &made_b, &inputs[1]))
    return {};
  return run_operator(which, inputs);
}

template <Operator Which>
Ref binary(PyObject* a, PyObject* b) {
  if (!is_exact_tensor(a) || !is_exact_tensor(b)) return mixed_operands(Which, a, b);
  TensorImpl* inputs[2] = {tensor_of(a).impl(), tensor_of(b).impl()};
  return run_operator(Which, inputs);
}

template <Operator Which>
Ref unary(PyObject* a) {
  TensorImpl* input = tensor_of(a).impl();
  return run_operator(Which, {&input, 1});
}

Ref power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) return Ref::share(Py_NotImplemented);
  return binary<kPowOp>(a, b);
}

Ref positive(PyObject* a) { return Ref::share(a); }

// `==` and `!=` with something that is no operand compare identities, as everywhere in Python.
Ref compare(PyObject* a, PyObject* b, int how) {
  static constexpr Operator kWhich[] = {kLtOp, kLeOp, kEqOp, kNeOp, kGtOp, kGeOp};
  static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);
  const bool sequence = PyList_Check(b) || PyTuple_Check(b);
  const bool equality = how == Py_EQ || how == Py_NE;
  if (equality && (sequence || !is_operand(b)))
    return Ref::share(how == Py_NE ? Py_True : Py_False);
  if (is_exact_tensor(a) && is_exact_tensor(b)) {
    TensorImpl* inputs[2] = {tensor_of(a).impl(), tensor_of(b).impl()};
    return run_operator(kWhich[how], inputs);
  }
  return mixed_operands(kWhich[how], a, b);
}

int truth(PyObject* self) {
  Element one;
  const Tensor& t = tensor_of(self);
  if (!single_element(t, "bool", &one)) return -1;
  return dispatch_any_dtype(t.dtype(), [&](auto tag) -> int {
    return convert_value<bool>(*static_cast<const typename decltype(tag)::type*>(one.data));
  });
}

Ref as_int(PyObject* self) {
  Element one;
  if (!single_element(tensor_of(self), "int", &one)) return {};
  Ref value = element_to_python(tensor_of(self).dtype(), one.data);
  return value ? Ref::steal(host::call(host::program, PyNumber_Long, value.get())) : Ref();
}

Ref as_float(PyObject* self) {
  Element one;
  if (!single_element(tensor_of(self), "float", &one)) return {};
  Ref value = element_to_python(tensor_of(self).dtype(), one.data);
  return value ? Ref::steal(host::call(host::program, PyNumber_Float, value.get())) : Ref();
}

Ref as_index(PyObject* self) {
  const Tensor& t = tensor_of(self);
  if (!is_integer(t.dtype()) && !is_bool(t.dtype()))
    return Ref::steal(raise(*type_error(
        "[index] dtype of the tensor, got {}, expected an int or bool", dtype_name(t.dtype()))));
  return as_int(self);
}

PyNumberMethods g_number;

}  // namespace

bool host_tensor(const Tensor& tensor, Tensor* out) {
  auto here = devices::to_host(tensor);
  if (!here.ok()) return fail(here.take_error());
  *out = here.take();
  return true;
}

bool single_element(const Tensor& tensor, const char* where, Element* out) {
  if (tensor.numel() == 1) {
    if (!tensor.device().is_host() && !host_tensor(tensor, &out->copy)) [[unlikely]]
      return false;
    out->data = out->copy ? out->copy.data() : tensor.data();
    return true;
  }
  return fail(value_error("[{}] number of elements, got {}, expected 1", where, tensor.numel()));
}

void fill_number_slots(PyTypeObject* type) {
  for (int i = 0; i < kNumOperators; ++i) g_ops[i] = find_op(kOpNames[i]);
  PyNumberMethods& n = g_number;
  n.nb_add = entry<binary<kAddOp>>;
  n.nb_subtract = entry<binary<kSubOp>>;
  n.nb_multiply = entry<binary<kMulOp>>;
  n.nb_true_divide = entry<binary<kDivOp>>;
  n.nb_floor_divide = entry<binary<kFloorDivOp>>;
  n.nb_remainder = entry<binary<kModOp>>;
  n.nb_power = entry<power>;
  n.nb_matrix_multiply = entry<binary<kMatMulOp>>;
  n.nb_and = entry<binary<kAndOp>>;
  n.nb_or = entry<binary<kOrOp>>;
  n.nb_xor = entry<binary<kXorOp>>;
  n.nb_lshift = entry<binary<kLeftShiftOp>>;
  n.nb_rshift = entry<binary<kRightShiftOp>>;
  n.nb_negative = entry<unary<kNegOp>>;
  n.nb_positive = entry<positive>;
  n.nb_absolute = entry<unary<kAbsOp>>;
  n.nb_invert = entry<unary<kInvertOp>>;
  n.nb_bool = entry<truth>;
  n.nb_int = entry<as_int>;
  n.nb_float = entry<as_float>;
  n.nb_index = entry<as_index>;
  type->tp_as_number = &n;
  type->tp_richcompare = entry<compare>;
}

}  // namespace msjit
