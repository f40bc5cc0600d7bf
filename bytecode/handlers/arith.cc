// Unary and binary operators: constants are folded, tensors become ops, sequences
// concatenate.
#include <fmt/core.h>

#include <algorithm>

#include "bytecode/builtins/models.h"
#include "bytecode/handlers/operands.h"
#include "bytecode/numbers.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/stepping.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/computed.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

// The op for a Python operator on tensors; null when there is none.
const OpDef* binary_op(BinaryOp op) {
  static const char* const names[kBinaryOpCount] = {
      "add",        "bitwise_and", "floor_div", "",    "matmul", "mul",        "mod",
      "bitwise_or", "pow",         "",          "sub", "div",    "bitwise_xor"};
  return find_op(names[static_cast<int>(op)]);
}

// Folding must not build something huge: "x" * 10**9, 10 ** 10 ** 6.
bool is_cheap(PyObject* a, PyObject* b, BinaryOp op) {
  if (op != BinaryOp::kPower && op != BinaryOp::kMul && op != BinaryOp::kLshift) return true;
  auto small = [](PyObject* o) {
    if (!PyLong_CheckExact(o)) return !PyTuple_CheckExact(o) || PyTuple_GET_SIZE(o) < 1024;
    int overflow = 0;
    const long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    return !overflow && v > -4096 && v < 4096;
  };
  if (PyFloat_CheckExact(a) || PyFloat_CheckExact(b)) return true;
  if (op == BinaryOp::kMul && PyLong_CheckExact(a) && PyLong_CheckExact(b)) return true;
  return small(a) && small(b);
}

// Gives a list other items, in place.
bool renew(const SymRef& list, std::vector<SymRef> items, SymRef* out) {
  list->items = std::move(items);
  note_change(list);
  return *out = list, true;
}

bool concat(Executor& x, const SymRef& a, const SymRef& b, bool in_place, SymRef* out) {
  const std::vector<SymRef>* left = x.heap().items(a);
  const std::vector<SymRef>* right = x.heap().items(b);
  if (left->empty() && is_plain_tuple(b)) return *out = b, true;
  if (right->empty() && is_plain_tuple(a)) return *out = a, true;
  std::vector<SymRef> items = *left;
  items.insert(items.end(), right->begin(), right->end());
  if (in_place && is_list(a)) return renew(a, std::move(items), out);
  *out = make_items(a->kind == SymKind::kList ? SymKind::kList : SymKind::kTuple, std::move(items));
  return true;
}

bool repeat(Executor& x, const SymRef& sequence, const SymRef& count, bool in_place, SymRef* out) {
  const long n = PyLong_AsLong(count->object.get());
  if (n == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return x.fail(BreakReason::kRaises, "repeating a sequence");
  }
  std::vector<SymRef> items;
  const std::vector<SymRef>& unit = *x.heap().items(sequence);
  constexpr long kMaxItems = 4096;
  if ((n == 1 || unit.empty()) && is_plain_tuple(sequence)) return *out = sequence, true;
  if (n > kMaxItems || (n > 0 && static_cast<size_t>(n) * unit.size() > kMaxItems))
    return x.fail(BreakReason::kUnrollLimit);
  for (long k = 0; k < n; ++k) items.insert(items.end(), unit.begin(), unit.end());
  if (in_place && is_list(sequence)) return renew(sequence, std::move(items), out);
  *out = make_items(sequence->kind == SymKind::kList ? SymKind::kList : SymKind::kTuple,
                    std::move(items));
  return true;
}

// A tensor and a list or tuple: see sequence_operands() of Tensor's operators.
bool sequence_operand(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, const OpDef& def,
                      const std::string& what, SymRef* out) {
  const SymRef &tensor = a->is_tensor() ? a : b, &other = a->is_tensor() ? b : a;
  const bool takes = op == BinaryOp::kAdd || op == BinaryOp::kSubtract ||
                     op == BinaryOp::kFloorDivide || (op == BinaryOp::kPower && b->is_tensor());
  const DType dtype = tensor->tensor.dtype();
  const bool repeats = op == BinaryOp::kMul && (is_integer(dtype) || is_bool(dtype));
  if (!takes) return x.fail(repeats ? BreakReason::kTensorValue : BreakReason::kRaises, what);
  const Ref known = to_python(x, other);
  if (!known) return x.fail(BreakReason::kUnsupported, what);
  Tensor made;
  if (!operand_from_sequence(known.get(), def.name, dtype, &made)) return x.raise_python(what);
  const Val constant = x.sink().constant(std::move(made));
  const Val inputs[2] = {a->is_tensor() ? a->tensor : constant,
                         b->is_tensor() ? b->tensor : constant};
  return x.apply_called(def, inputs, {}, {}, out);
}

// An operator on operands of which at least one is a tensor.
bool tensor_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                   const std::string& what, SymRef* out) {
  const OpDef* const def = binary_op(op);
  const SymRef& other = a->is_tensor() ? b : a;
  const bool numpy = numpy_pair(a, b);
  // str % tensor prints the tensor, and for str * tensor the tensor may be an index.
  const bool text = is_text(other) && (op == BinaryOp::kRemainder || op == BinaryOp::kMul);
  if (!other->is_tensor() && !numpy && !text && (is_no_operand(other) || !def))
    return x.fail(BreakReason::kRaises, what);
  if (def && is_plain_sequence(x, other) && !(in_place && is_list(a)))
    return sequence_operand(x, a, b, op, *def, what, out);
  if (!def || !are_tensor_operands(a, b)) return x.fail(BreakReason::kUnsupported, what);
  return apply_to_pair(x, *def, a, b, out);
}

// Operators on constants, and the formatting of texts. `known` stays false where neither is meant.
bool fold_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op,
                 const std::string& what, SymRef* out, bool* known) {
  const Ref left = constant_object(a), right = constant_object(b);
  if (left && right && is_builtin_value(left.get()) && is_builtin_value(right.get())) {
    *known = true;
    if (!is_cheap(left.get(), right.get(), op)) return x.fail(BreakReason::kUnsupported, what);
    return fold(x, host::call(host::values, python_binary, op, left.get(), right.get()),
                what.c_str(), out);
  }
  if (op != BinaryOp::kRemainder || !left || !PyUnicode_CheckExact(left.get())) return true;
  if (!computed_binary(x, a, b, op, out, known)) return false;
  if (*known) return true;
  const Ref arguments = to_python(x, b);
  *known = bool(arguments);
  return !*known ||
         fold(x, host::call(host::values, PyNumber_Remainder, left.get(), arguments.get()),
              what.c_str(), out);
}

bool is_count(const SymRef& value) {
  return is_plain_number(value) && PyLong_Check(value->object.get());
}

}  // namespace

bool Executor::binary(const SymRef& a, const SymRef& b, BinaryOp op, bool in_place, SymRef* out) {
  bool known = false;
  const auto ask = [&](auto rule) { return rule(*this, a, b, op, in_place, out, &known); };
  if (!ask_operands(a, b, &ValueKind::binary, ask, &known)) return false;
  if (known) return true;
  if (!look_number(a) || !look_number(b)) return false;
  if (!ask_operands(a, b, &ValueKind::binary, ask, &known)) return false;
  if (known) return true;
  if (!a->is_tensor() && !b->is_tensor() && (!look(a) || !look(b))) return false;
  const std::string what = fmt::format("{} {} {}", describe(*a), binary_symbol(op), describe(*b));
  if (a->is_tensor() || b->is_tensor()) return tensor_binary(*this, a, b, op, in_place, what, out);
  if (!numpy_binary(*this, a, b, op, out, &known)) return false;
  if (known) return true;
  if (!fold_binary(*this, a, b, op, what, out, &known)) return false;
  if (known) return true;
  if (op == BinaryOp::kAdd && is_sequence(*this, a) && is_sequence(*this, b) &&
      is_list(a) == is_list(b))
    return concat(*this, a, b, in_place, out);
  if (op == BinaryOp::kMul && is_sequence(*this, a) && is_count(b))
    return repeat(*this, a, b, in_place, out);
  if (op == BinaryOp::kMul && is_sequence(*this, b) && is_count(a))
    return repeat(*this, b, a, false, out);
  return fail(BreakReason::kUnsupported, what);
}

bool Executor::unary(const SymRef& value, UnaryOp op, SymRef* out) {
  if (op == UnaryOp::kNot) {
    bool is_true = false;
    SymRef tested;
    if (!msjit::number_of_turn(*this, value, &tested)) return false;
    if (has_truth_of_tensor(*tested) || (look_open(tested) && tested->is_tensor()))
      return truth_of_tensor(*this, tested, true, out);
    if (!truth(tested, &is_true)) return false;
    *out = make_const(Ref::share(is_true ? Py_False : Py_True));
    return true;
  }
  if (!kind_of(value).refuse && !look_number(value)) return false;
  bool known = false;
  if (const auto rule = kind_of(value).unary; rule && !rule(*this, value, op, out, &known))
    return false;
  if (known) return true;
  if (!look(value)) return false;
  if (value->is_tensor()) {
    if (op == UnaryOp::kPositive) return *out = value, true;  // the same tensor object
    const OpDef* def = find_op(op == UnaryOp::kNegative ? "neg" : "logical_not");
    return def ? apply(*def, std::span(&value->tensor, 1), {}, out)
               : fail(BreakReason::kUnsupported, unary_symbol(op));
  }
  if (is_numpy_scalar(value)) return numpy_unary(*this, value, op, out);
  if (!is_plain_number(value)) {
    const bool raises = value->kind != SymKind::kConst || is_text(value) ||
                        value->is_const(Py_None) || PyTuple_CheckExact(value->object.get());
    return fail(raises ? BreakReason::kRaises : BreakReason::kUnsupported,
                "unary operator on " + describe(*value));
  }
  PyObject* object = value->object.get();
  PyObject* result = op == UnaryOp::kNegative ? host::call(host::values, PyNumber_Negative, object)
                     : op == UnaryOp::kPositive
                         ? host::call(host::values, PyNumber_Positive, object)
                         : host::call(host::values, PyNumber_Invert, object);
  return fold(*this, result, "unary operator", out);
}

bool exec_Unary(Executor& x, SymFrame& f, const Instr& i) {
  SymRef out;
  if (!x.unary(f.peek(1), i.unary(), &out)) return false;
  f.peek(1) = std::move(out);
  return true;
}

namespace {
bool binary_instr(Executor& x, SymFrame& f, const Instr& i, bool in_place) {
  const SymRef b = f.pop();
  const SymRef a = f.pop();
  SymRef out;
  if (!x.binary(a, b, i.binary(), in_place, &out)) return false;
  f.push(std::move(out));
  return true;
}
}  // namespace

bool exec_Binary(Executor& x, SymFrame& f, const Instr& i) { return binary_instr(x, f, i, false); }
bool exec_InplaceBinary(Executor& x, SymFrame& f, const Instr& i) {
  return binary_instr(x, f, i, true);
}

namespace {

PyObject* inplace_power(PyObject* a, PyObject* b) {
  return host::call(host::program, PyNumber_InPlacePower, a, b, Py_None);
}

using BinaryFunction = PyObject* (*)(PyObject*, PyObject*);
constexpr BinaryFunction kInplace[kBinaryOpCount] = {host::through(PyNumber_InPlaceAdd),
                                                     host::through(PyNumber_InPlaceAnd),
                                                     host::through(PyNumber_InPlaceFloorDivide),
                                                     host::through(PyNumber_InPlaceLshift),
                                                     host::through(PyNumber_InPlaceMatrixMultiply),
                                                     host::through(PyNumber_InPlaceMultiply),
                                                     host::through(PyNumber_InPlaceRemainder),
                                                     host::through(PyNumber_InPlaceOr),
                                                     inplace_power,
                                                     host::through(PyNumber_InPlaceRshift),
                                                     host::through(PyNumber_InPlaceSubtract),
                                                     host::through(PyNumber_InPlaceTrueDivide),
                                                     host::through(PyNumber_InPlaceXor)};

}  // namespace

PyObject* inplace_binary(BinaryOp op, PyObject* a, PyObject* b) {
  return host::call(host::program, kInplace[static_cast<int>(op)], a, b);
}

namespace {

template <PyObject* (*Function)(BinaryOp, PyObject*, PyObject*)>
Step binary(const Stepping& s) {
  const Ref right = s.frame.pop();
  const Ref left = s.frame.pop();
  return s.push(Ref::steal(Function(s.instr.binary(), left.get(), right.get())));
}

}  // namespace

Step step_binary(const Stepping& s) { return binary<host::through(python_binary)>(s); }
Step step_inplace_binary(const Stepping& s) { return binary<inplace_binary>(s); }

Step step_unary(const Stepping& s) {
  const Ref value = s.frame.pop();
  switch (s.instr.unary()) {
    case UnaryOp::kPositive:
      return s.push(Ref::steal(host::call(host::program, PyNumber_Positive, value.get())));
    case UnaryOp::kNegative:
      return s.push(Ref::steal(host::call(host::program, PyNumber_Negative, value.get())));
    case UnaryOp::kInvert:
      return s.push(Ref::steal(host::call(host::program, PyNumber_Invert, value.get())));
    case UnaryOp::kNot: break;
  }
  const int truth = host::call(host::program, PyObject_IsTrue, value.get());
  return truth < 0 ? s.raised() : s.push(Ref::share(truth ? Py_False : Py_True));
}

}  // namespace msjit
