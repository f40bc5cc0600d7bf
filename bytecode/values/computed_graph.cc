// Python's float is a float64, and +, -, *, /, comparisons, min(), max() and abs() round the same
// way on both, so a tensor can stand for the number. A Python int has no size limit. It is an int64
// tensor as long as the bound on its bits says that it fits. If an operation may raise (a division
// by zero), the exit computes it in Python as well, which fails the region before anything is
// changed.
#include "bytecode/values/computed_graph.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "bytecode/builtins/models.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/computed.h"
#include "guards/py/convert.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

constexpr int kDoubleBits = 53;  // ints of so many bits are exact as floats
constexpr int kIntBits = 63;
constexpr int kMaxDepth = 64;

struct Operand {
  SymRef tensor;  // null: not known
  bool integer = false;
  int bits = 0;  // of an int: a bound on the bits of its magnitude
};

int bits_of_known(int64_t number) {
  const uint64_t magnitude = number < 0 ? 0 - static_cast<uint64_t>(number) : number;
  return static_cast<int>(std::bit_width(magnitude));
}

class Tensors {
 public:
  explicit Tensors(Executor& x) : x_(x) {}
  bool failed() const { return failed_; }
  Operand number(const SymRef& value, int depth = 0);
  SymRef test(const SymRef& value);
  SymRef truth(const SymRef& value);
  SymRef cast(const SymRef& tensor, DType dtype);

 private:
  SymRef apply(const char* op, const std::vector<SymRef>& inputs, Attrs attrs = {});
  SymRef as_double(const Operand& operand);
  bool is_double(const Operand& operand);
  Operand of_scalar(const SymValue& scalar);
  Operand of_array(const SymValue& array);
  Operand of_constant(PyObject* object);
  int bits_of_size(const SizeExpr& size);
  Operand of_turn(const SymRef& value);
  Operand of_computed(const SymValue& value, int depth);
  Operand binary(const Computed& computed, int depth);
  Operand by_constant(const Operand& of, BinaryOp op, const SymRef& by);
  Operand extreme(const Computed& computed, bool greater, int depth);
  Operand called(const Computed& computed, int depth);
  Operand item(const Computed& computed, int depth);
  Operand table(const std::vector<SymRef>& parts);
  Operand joined(const std::vector<SymRef>& parts, int depth);
  SymRef compare(const Computed& computed);

  Executor& x_;
  bool failed_ = false;
};

SymRef Tensors::apply(const char* op, const std::vector<SymRef>& inputs, Attrs attrs) {
  std::vector<Val> values;
  for (const SymRef& input : inputs) {
    if (!input) return nullptr;
    values.push_back(input->tensor);
  }
  SymRef out;
  if (failed_ || !x_.apply(*find_op(op), values, attrs, &out)) return failed_ = true, nullptr;
  return out;
}

SymRef Tensors::cast(const SymRef& tensor, DType dtype) {
  Attrs attrs;
  attrs.push_back(AttrValue(dtype));
  return apply("cast", {tensor}, std::move(attrs));
}

SymRef Tensors::as_double(const Operand& operand) {
  return operand.integer ? cast(operand.tensor, DType::kFloat64) : operand.tensor;
}

// Whether an operand is a float64 without rounding. For a large int the region assumes so, where it
// may make assumptions.
bool Tensors::is_double(const Operand& operand) {
  if (!operand.integer || operand.bits <= kDoubleBits) return true;
  if (x_.in_arm()) return false;
  constexpr int64_t kLimit = int64_t{1} << kDoubleBits;
  const auto limit = [&](int64_t n) { return make_tensor(x_.sink().constant(Tensor::scalar(n))); };
  const SymRef fits =
      apply("logical_and", {apply("less_equal", {operand.tensor, limit(kLimit)}),
                            apply("greater_equal", {operand.tensor, limit(-kLimit)})});
  if (fits) x_.assume_holds(fits, "an int is too large to be exact as a float64");
  return fits != nullptr;
}

Operand Tensors::of_scalar(const SymValue& scalar) {
  const DType dtype = scalar.tensor.dtype();
  PyTypeObject* const type = type_of(scalar);
  const bool to_float = type == &PyFloat_Type;
  if (type == &PyBool_Type && !is_bool(dtype)) return {};
  if (is_complex(dtype) || is_wide_unsigned(dtype)) return {};
  if (!to_float && is_float(dtype)) return {};  // int() truncates
  Operand made;
  made.integer = !to_float;
  made.bits = is_bool(dtype) ? 1 : static_cast<int>(item_size(dtype)) * 8;
  made.bits = std::min(made.bits, kIntBits + 1);
  if (scalar.at_least > INT64_MIN && scalar.at_most < INT64_MAX)
    made.bits = std::max(bits_of_known(scalar.at_least), bits_of_known(scalar.at_most));
  if (is_drawn(scalar)) {  // a 0-d input without a gradient
    if (made.integer) made.bits = bits_of(x_.heap().draws()[scalar.draw]);
    made.tensor = cast(make_tensor(scalar.tensor), dtype);
    return made;
  }
  Attrs none;
  none.push_back(AttrValue(IntList()));
  // No gradient flows through a Python number.
  SymRef value = apply("stop_gradient", {make_tensor(scalar.tensor)});
  value = cast(value, to_float ? DType::kFloat64 : DType::kInt64);
  made.tensor = apply("reshape", {value}, std::move(none));
  return made;
}

// The number in a 0-d array, as a float.
Operand Tensors::of_array(const SymValue& array) {
  if (array.tensor.rank() != 0 || !is_float(array.tensor.dtype())) return {};
  return {cast(apply("stop_gradient", {make_tensor(array.tensor)}), DType::kFloat64)};
}

Operand Tensors::of_constant(PyObject* object) {
  if (PyFloat_CheckExact(object))
    return {make_tensor(x_.sink().constant(Tensor::scalar<double>(PyFloat_AS_DOUBLE(object))))};
  int64_t number = object == Py_True;
  if (!PyBool_Check(object) && (!PyLong_CheckExact(object) || !small_int(object, &number)))
    return {};
  return {make_tensor(x_.sink().constant(Tensor::scalar<int64_t>(number))), true,
          bits_of_known(number)};
}

int Tensors::bits_of_size(const SizeExpr& size) {
  constexpr int kUsual = 31;
  constexpr int64_t kLimit = int64_t{1} << kUsual;
  const bool usual = x_.sizes().decide(SizeCompare::kLess, size, size_const(kLimit)) &&
                     x_.sizes().decide(SizeCompare::kGreaterEqual, size, size_const(1 - kLimit));
  return usual ? kUsual : kIntBits + 1;
}

Operand Tensors::number(const SymRef& value, int depth) {
  if (depth > kMaxDepth) return {};
  if (value->kind == SymKind::kLazy && !x_.look_number(value)) return failed_ = true, Operand();
  switch (value->kind) {
    case SymKind::kScalar: return of_scalar(*value);
    case SymKind::kConst: return of_constant(value->object.get());
    case SymKind::kNumber:
      return {cast(make_tensor(x_.heap().scalar_input(value)), DType::kFloat64)};
    case SymKind::kSize:
      return {cast(make_tensor(x_.heap().scalar_input(value)), DType::kInt64), true,
              bits_of_size(Sizes::expr(value))};
    case SymKind::kTensorArray: return of_array(*value);
    case SymKind::kComputed: return of_computed(*value, depth + 1);
    case SymKind::kTurn:
    case SymKind::kTurnTable: return of_turn(value);
    default: return {};
  }
}

Operand Tensors::of_turn(const SymRef& value) {
  SymRef number;
  PyTypeObject* const type = type_of(*value);
  if (type != &PyFloat_Type && type != &PyLong_Type) return {};
  if (!number_of_turn(x_, value, &number)) return failed_ = true, Operand();
  return of_scalar(*number);
}

Operand Tensors::of_computed(const SymValue& value, int depth) {
  const Computed computed = computed_parts(value);
  switch (computed.form) {
    case Computed::Form::kBinary: return binary(computed, depth);
    case Computed::Form::kCall: return called(computed, depth);
    case Computed::Form::kItem: return item(computed, depth);
    case Computed::Form::kUnary: break;
    default: return {};
  }
  Operand of = number((*computed.operands)[0], depth);
  if (UnaryOp(computed.detail) == UnaryOp::kPositive) return of;
  if (!of.tensor || UnaryOp(computed.detail) != UnaryOp::kNegative || of.bits > kIntBits) return {};
  of.tensor = apply("neg", {of.tensor});
  return of;
}

const char* operator_name(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd: return "add";
    case BinaryOp::kSubtract: return "sub";
    case BinaryOp::kMul: return "mul";
    case BinaryOp::kTrueDivide: return "div";
    case BinaryOp::kRemainder: return "mod";
    case BinaryOp::kFloorDivide: return "floor_div";
    default: return nullptr;
  }
}

// An int by a known divisor, or to the power of a small known exponent.
Operand Tensors::by_constant(const Operand& of, BinaryOp op, const SymRef& by) {
  int64_t number = 0;
  if (!of.tensor || !of.integer || by->kind != SymKind::kConst ||
      !PyLong_CheckExact(by->object.get()) || !small_int(by->object.get(), &number))
    return {};
  if (op != BinaryOp::kPower) {
    if (number <= 0 || of.bits > kIntBits) return {};
    const Operand divisor = of_constant(by->object.get());
    const int bits = op == BinaryOp::kRemainder ? divisor.bits : of.bits;
    return {apply(operator_name(op), {of.tensor, divisor.tensor}), true, bits};
  }
  constexpr int64_t kMostFactors = 8;
  if (number < 1 || number > kMostFactors || of.bits * number > kIntBits) return {};
  Operand power = of;
  power.bits = of.bits * static_cast<int>(number);
  for (; number > 1; --number) power.tensor = apply("mul", {power.tensor, of.tensor});
  return power;
}

Operand Tensors::binary(const Computed& computed, int depth) {
  const BinaryOp op = BinaryOp(computed.detail);
  const char* const name = operator_name(op);
  if (op == BinaryOp::kRemainder || op == BinaryOp::kFloorDivide || op == BinaryOp::kPower)
    return by_constant(number((*computed.operands)[0], depth), op, (*computed.operands)[1]);
  const Operand a = name ? number((*computed.operands)[0], depth) : Operand();
  const Operand b = a.tensor ? number((*computed.operands)[1], depth) : Operand();
  if (!b.tensor) return {};
  if (!a.integer || !b.integer) return {apply(name, {as_double(a), as_double(b)})};
  if (op == BinaryOp::kTrueDivide) {  // Python rounds the quotient of ints, not the ints
    if (!is_double(a) || !is_double(b)) return {};
    return {apply(name, {as_double(a), as_double(b)})};
  }
  const int bits = op == BinaryOp::kMul ? a.bits + b.bits : std::max(a.bits, b.bits) + 1;
  if (bits > kIntBits) return {};
  return {apply(name, {a.tensor, b.tensor}), true, bits};
}

// min() and max() replace the best item by a later one that is less, or greater. A NaN is neither.
Operand Tensors::extreme(const Computed& computed, bool greater, int depth) {
  Operand best;
  for (const SymRef& item : *computed.operands) {
    const Operand next = number(item, depth);
    if (!next.tensor || (best.tensor && next.integer != best.integer)) return {};
    if (best.tensor) {
      const SymRef wins = apply(greater ? "greater" : "less", {next.tensor, best.tensor});
      best.tensor = apply("where", {wins, next.tensor, best.tensor});
      best.bits = std::max(best.bits, next.bits);
    } else {
      best = next;
    }
  }
  return best;
}

Operand Tensors::called(const Computed& computed, int depth) {
  const std::string_view name = computed.name;
  if (name == "min" || name == "max") return extreme(computed, name == "max", depth);
  if (computed.operands->size() != 1) return {};
  Operand of = number((*computed.operands)[0], depth);
  if (!of.tensor) return {};
  if (name == "float" || name == "fabs") of = {as_double(of)};
  if (name == "float") return of;
  if ((name == "abs" && of.bits <= kIntBits) || name == "fabs")
    return of.tensor = apply("abs", {of.tensor}), of;
  return name == "int" && of.integer ? of : Operand();
}

// Floats or ints known now, from the second of `parts` on, as one constant.
Operand Tensors::table(const std::vector<SymRef>& parts) {
  const auto is_known = [&](size_t i, PyTypeObject* type) {
    return parts[i]->kind == SymKind::kConst && Py_TYPE(parts[i]->object.get()) == type;
  };
  const bool real = is_known(1, &PyFloat_Type);
  auto made = Tensor::empty(real ? DType::kFloat64 : DType::kInt64,
                            Shape{static_cast<int64_t>(parts.size()) - 1});
  if (!made.ok()) return {};
  Tensor all = made.take();
  Operand table{.integer = !real};
  for (size_t i = 1; i < parts.size(); ++i) {
    if (!is_known(i, real ? &PyFloat_Type : &PyLong_Type)) return {};
    PyObject* const object = parts[i]->object.get();
    if (real) {
      all.data_as<double>()[i - 1] = PyFloat_AS_DOUBLE(object);
      continue;
    }
    int64_t& number = all.data_as<int64_t>()[i - 1];
    if (!small_int(object, &number)) return {};
    table.bits = std::max(table.bits, bits_of_known(number));
  }
  table.tensor = make_tensor(x_.sink().constant(std::move(all)));
  return table;
}

// Numbers of which some are computed, from the second of `parts` on, as one tensor.
Operand Tensors::joined(const std::vector<SymRef>& parts, int depth) {
  constexpr size_t kMostParts = 65;
  if (parts.size() > kMostParts) return {};
  Operand made;
  std::vector<SymRef> items;
  for (size_t i = 1; i < parts.size(); ++i) {
    const Operand next = number(parts[i], depth);
    if (!next.tensor || (i > 1 && next.integer != made.integer)) return {};
    made.integer = next.integer;
    made.bits = std::max(made.bits, next.bits);
    Attrs flat;
    flat.push_back(AttrValue(IntList{1}));
    items.push_back(apply("reshape", {next.tensor}, std::move(flat)));
  }
  Attrs axis;
  axis.push_back(AttrValue(int64_t{0}));
  made.tensor = items.size() == 1 ? items[0] : apply("concat", items, std::move(axis));
  return made;
}

// A known number at an unknown position. The exit computes it too, which fails where Python raises.
Operand Tensors::item(const Computed& computed, int depth) {
  const std::vector<SymRef>& parts = *computed.operands;
  const Operand index = number(parts[0], depth);
  if (!index.tensor || !index.integer || index.bits > kIntBits) return {};
  for (const SymRef& part : parts)
    if (part->kind == SymKind::kLazy && !x_.look_number(part)) return failed_ = true, Operand();
  Operand made = table(parts);
  if (!made.tensor) made = joined(parts, depth);
  if (!made.tensor) return {};
  Attrs first;
  first.push_back(AttrValue(IntList{0}));
  made.tensor = apply("index", {made.tensor, index.tensor}, std::move(first));
  return made;
}

SymRef Tensors::compare(const Computed& computed) {
  static constexpr const char* kNames[] = {"less",      "less_equal", "equal",
                                           "not_equal", "greater",    "greater_equal"};
  const Operand a = number((*computed.operands)[0]);
  const Operand b = a.tensor ? number((*computed.operands)[1]) : Operand();
  if (!b.tensor) return nullptr;
  const char* const name = kNames[computed.detail];
  if (a.integer && b.integer) return apply(name, {a.tensor, b.tensor});
  // Python compares an int with a float without rounding it.
  if (!is_double(a) || !is_double(b)) return nullptr;
  return apply(name, {as_double(a), as_double(b)});
}

SymRef Tensors::test(const SymRef& value) {
  const Computed computed = computed_parts(*value);
  if (computed.form == Computed::Form::kCompare) return compare(computed);
  const std::string_view name = computed.name;
  if (name == "isnan" || name == "isinf" || name == "isfinite") {
    const Operand of = number((*computed.operands)[0]);
    return of.tensor ? apply(computed.name, {as_double(of)}) : nullptr;
  }
  const Operand of = number(value);
  if (!of.tensor) return nullptr;
  const Operand zero = of_constant(allocated(Ref::steal(PyLong_FromLong(0))).get());
  return apply("not_equal", {of.tensor, of.integer ? zero.tensor : as_double(zero)});
}

// The truth of a bool.
SymRef Tensors::truth(const SymRef& value) {
  if (value->kind == SymKind::kComputed) return test(value);
  const Operand of = number(value);
  return of.tensor ? cast(of.tensor, DType::kBool) : nullptr;
}

}  // namespace

bool test_of_computed(Executor& x, const SymRef& value, SymRef* out) {
  *out = nullptr;
  if (value->kind != SymKind::kComputed || x.strict()) return true;
  Tensors tensors(x);
  *out = tensors.test(value);
  return !tensors.failed();
}

bool number_beside(Executor& x, const SymRef& value, DType beside, SymRef* out) {
  Tensors tensors(x);
  const auto made = tensors.number(value);
  const bool wide = beside == DType::kFloat32 || beside == DType::kFloat64;
  const bool exact =
      made.integer ? beside == DType::kInt64 || (wide && made.bits <= kDoubleBits) : wide;
  *out = made.tensor && exact ? tensors.cast(made.tensor, beside) : nullptr;
  return !tensors.failed();
}

bool python_number(Executor& x, const SymRef& value, SymRef* out) {
  *out = nullptr;
  PyTypeObject* const type = type_of(*value);
  Tensors tensors(x);
  if (type == &PyBool_Type)
    *out = tensors.truth(value);
  else if (type == &PyFloat_Type || type == &PyLong_Type)
    *out = tensors.number(value).tensor;
  return !tensors.failed();
}

bool int_bits(Executor& x, const SymRef& value, int* bits) {
  Tensors tensors(x);
  const auto made = tensors.number(value);
  *bits = made.tensor && made.integer ? made.bits : kIntBits + 1;
  return !tensors.failed();
}

}  // namespace msjit
