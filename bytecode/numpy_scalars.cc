#include "bytecode/numpy_scalars.h"

#include <fmt/core.h>

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

#include "bytecode/builtins/models.h"
#include "bytecode/handlers/operands.h"
#include "bytecode/values/computed.h"
#include "bytecode/values/turn_table.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

// The range of a class of NumPy scalars. Of floats `smallest` is the least positive number with
// full precision.
struct Range {
  bool is_float;
  double low, high, smallest;
};

template <class T>
constexpr Range ints() {
  return {false, double(std::numeric_limits<T>::min()), double(std::numeric_limits<T>::max()), 0};
}

const Range* range_of(PyTypeObject* type) {
  struct Row {
    const char* name;
    Range range;
  };
  static constexpr Row kRows[] = {{"float64", {true, -DBL_MAX, DBL_MAX, DBL_MIN}},
                                  {"float32", {true, -FLT_MAX, FLT_MAX, FLT_MIN}},
                                  {"float16", {true, -65504, 65504, 6.2e-5}},
                                  {"int64", ints<int64_t>()},
                                  {"int32", ints<int32_t>()},
                                  {"int16", ints<int16_t>()},
                                  {"int8", ints<int8_t>()},
                                  {"uint16", ints<uint16_t>()},
                                  {"uint32", ints<uint32_t>()},
                                  {"uint8", ints<uint8_t>()},
                                  {"bool_", {false, 0, 1, 0}},
                                  {"bool", {false, 0, 1, 0}}};
  const char* name = type->tp_name + std::strlen("numpy.");
  for (const Row& row : kRows)
    if (std::strcmp(row.name, name) == 0) return &row.range;
  return nullptr;
}

const Range* range_of(PyObject* scalar) { return range_of(Py_TYPE(scalar)); }

// A number as a double with exactly its value. False: it has none, or it is no number.
bool number_of(PyObject* object, double* out, bool* is_float) {
  constexpr double kExact = 1LL << 53;
  if (is_numpy_scalar(object)) {
    const Range* range = range_of(object);
    if (!range) return false;
    *is_float = range->is_float;
  } else if (PyFloat_CheckExact(object)) {
    *is_float = true;
  } else if (PyLong_CheckExact(object) || PyBool_Check(object)) {
    *is_float = false;
  } else {
    return false;
  }
  *out = PyFloat_AsDouble(object);
  if (*out == -1 && PyErr_Occurred()) return PyErr_Clear(), false;
  return std::isfinite(*out) && (*is_float || std::fabs(*out) < kExact);
}

// A pair of numbers, at least one of NumPy. `range` is the range that the classes of both share.
struct Pair {
  PyObject *a, *b;
  double x = 0, y = 0;
  bool floats = false;
  Range range = {true, -DBL_MAX, DBL_MAX, 0};

  bool read() {
    bool of_a = false, of_b = false;
    if (!number_of(a, &x, &of_a) || !number_of(b, &y, &of_b)) return false;
    floats = of_a || of_b;
    range.smallest = floats ? DBL_MIN : 0;
    for (PyObject* object : {a, b}) {
      const Range* own = is_numpy_scalar(object) ? range_of(object) : nullptr;
      if (!own || (floats && !own->is_float)) continue;
      range.low = std::max(range.low, own->low);
      range.high = std::min(range.high, own->high);
      range.smallest = std::max(range.smallest, own->smallest);
    }
    return holds(x) && holds(y);
  }
  bool holds(double v) const { return v >= range.low && v <= range.high; }
  // Whether NumPy gives this result without a warning: it neither overflows nor loses bits near
  // zero.
  bool is_quiet(double v) const {
    return std::isfinite(v) && holds(v) && (std::fabs(v) >= range.smallest || v == 0);
  }
};

// Whether NumPy computes a pair without a warning.
bool computes_quietly(const Pair& p, BinaryOp op) {
  const bool zero = p.x == 0 || p.y == 0;
  switch (op) {
    case BinaryOp::kAdd: return p.is_quiet(p.x + p.y);
    case BinaryOp::kSubtract: return p.is_quiet(p.x - p.y);
    case BinaryOp::kMul: return p.is_quiet(p.x * p.y) && (zero || p.x * p.y != 0);
    case BinaryOp::kTrueDivide: {
      const double quotient = p.y == 0 ? HUGE_VAL : p.x / p.y;
      return std::isfinite(quotient) && std::fabs(quotient) < p.range.high &&
             (p.x == 0 || std::fabs(quotient) >= std::max(p.range.smallest, DBL_MIN));
    }
    case BinaryOp::kFloorDivide:
    case BinaryOp::kRemainder: return p.y != 0 && p.is_quiet(std::floor(p.x / p.y));
    case BinaryOp::kPower: {
      const double power = std::pow(p.x, p.y);
      return p.is_quiet(power) && (p.floats || p.y >= 0) && (p.x == 0 ? p.y >= 0 : power != 0);
    }
    default: return false;
  }
}

// A constant that is a number, as an object; null when it is none.
PyObject* number_object(const SymRef& value) {
  return value->kind == SymKind::kConst ? value->object.get() : nullptr;
}

bool is_pair(const SymRef& a, const SymRef& b) {
  return (is_numpy_scalar(a) && number_object(b)) || (number_object(a) && is_numpy_scalar(b));
}

bool model_item(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "item", args, names, 1, 1)) return false;
  PyObject* const object = args[0]->object.get();
  return fold_result(
      x, Ref::steal(host::call(host::of_static, PyObject_CallMethod, object, "item", nullptr)),
      "item", out);
}

const ModelRow kMethods[] = {{"item", model_item}, {"tolist", model_item}};

}  // namespace

bool is_numpy_scalar(const SymRef& value) {
  return value->kind == SymKind::kConst && is_numpy_scalar(value->object.get());
}

bool is_numpy_integer(PyObject* object) {
  if (!is_numpy_scalar(object)) return false;
  const Range* range = range_of(object);
  return range && !range->is_float && !(range->low == 0 && range->high == 1);
}

SymRef plain_index(const SymRef& value) {
  if (value->kind != SymKind::kConst || !is_numpy_integer(value->object.get())) return value;
  Ref index = Ref::steal(host::call(host::values, PyNumber_Index, value->object.get()));
  if (!index) PyErr_Clear();
  return index ? make_const(std::move(index)) : value;
}

bool numpy_is_quiet(PyObject* a, PyObject* b, BinaryOp op) {
  Pair pair{a, b};
  return pair.read() && computes_quietly(pair, op);
}

bool numpy_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, SymRef* out,
                  bool* known) {
  *known = is_pair(a, b);
  if (!*known) return true;
  Pair pair{number_object(a), number_object(b)};
  const std::string what = fmt::format("{} {} {}", describe(*a), binary_symbol(op), describe(*b));
  if (!pair.read() || !computes_quietly(pair, op)) return x.fail(BreakReason::kUnsupported, what);
  return fold_result(x, Ref::steal(host::call(host::values, python_binary, op, pair.a, pair.b)),
                     what.c_str(), out);
}

bool numpy_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out,
                   bool* known) {
  *known = is_pair(a, b);
  if (!*known) return true;
  Pair pair{number_object(a), number_object(b)};
  const std::string what = fmt::format("comparison of {} and {}", describe(*a), describe(*b));
  if (!pair.read()) return x.fail(BreakReason::kUnsupported, what);
  return fold_result(x,
                     Ref::steal(host::call(host::values, PyObject_RichCompare, pair.a, pair.b, op)),
                     what.c_str(), out);
}

bool numpy_absolute(Executor& x, const SymRef& value, SymRef* out) {
  PyObject* const object = value->object.get();
  const Range* range = range_of(object);
  double number = 0;
  bool is_float = false;
  if (!range || !number_of(object, &number, &is_float) || std::fabs(number) > range->high)
    return x.fail(BreakReason::kUnsupported, "abs() of " + describe(*value));
  return fold_result(x, Ref::steal(host::call(host::values, PyNumber_Absolute, object)), "abs",
                     out);
}

bool numpy_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out) {
  PyObject* const object = value->object.get();
  const std::string what = "unary operator on " + describe(*value);
  const Range* range = range_of(object);
  double number = 0;
  bool is_float = false;
  const bool quiet = range && number_of(object, &number, &is_float) && op != UnaryOp::kInvert &&
                     range->low < 0 && -number <= range->high;
  if (!quiet) return x.fail(BreakReason::kUnsupported, what);
  return fold_result(
      x,
      Ref::steal(op == UnaryOp::kNegative ? host::call(host::values, PyNumber_Negative, object)
                                          : host::call(host::values, PyNumber_Positive, object)),
      what.c_str(), out);
}

bool is_numpy_scalar_type(PyObject* object) {
  return PyType_Check(object) && is_numpy_scalar_class(reinterpret_cast<PyTypeObject*>(object));
}

bool make_numpy_scalar(Executor& x, PyObject* type, const SymRef& number, SymRef* out) {
  const char* const name = reinterpret_cast<PyTypeObject*>(type)->tp_name;
  const Range* range = range_of(reinterpret_cast<PyTypeObject*>(type));
  double value = 0;
  bool is_float = false, known = false;
  const auto in_a_turn = [&](const std::vector<SymRef>& of, SymRef* made) {
    return make_numpy_scalar(x, type, of[0], made);
  };
  if (!call_by_turn(x, {number}, in_a_turn, out, &known)) return false;
  if (known) return true;
  if (!x.look(number)) return false;
  if (range && (number->kind == SymKind::kList || number->kind == SymKind::kTuple ||
                (number->object && PyTuple_CheckExact(number->object.get()))))
    return make_numpy_array(x, type, number, range->low, range->high, range->smallest, out);
  if (!range || !number_object(number) || !number_of(number_object(number), &value, &is_float) ||
      value < range->low || value > range->high ||
      (value != 0 && std::fabs(value) < range->smallest))
    return wrong_arguments(x, name);
  return fold_result(x,
                     Ref::steal(host::call(host::checked, PyObject_CallFunctionObjArgs, type,
                                           number->object.get(), nullptr)),
                     name, out);
}

namespace {

// Whether a ufunc of one number computes it without a warning.
bool is_quiet_ufunc(std::string_view name, double v) {
  if (name == "sqrt") return v >= 0;
  if (name == "log" || name == "log2" || name == "log10") return v > 1e-6 && v < 1e6;
  if (name == "exp" || name == "exp2") return std::fabs(v) < 8;
  for (const char* known : {"floor", "ceil", "rint", "absolute", "sin", "cos", "tanh"})
    if (name == known) return std::fabs(v) < 100;
  return false;
}

bool is_quiet_ufunc(std::string_view name, const Pair& pair) {
  if (name == "maximum" || name == "minimum") return true;
  if (name == "add") return computes_quietly(pair, BinaryOp::kAdd);
  if (name == "subtract") return computes_quietly(pair, BinaryOp::kSubtract);
  if (name == "multiply") return computes_quietly(pair, BinaryOp::kMul);
  if (name == "divide" || name == "true_divide")
    return computes_quietly(pair, BinaryOp::kTrueDivide);
  return name == "power" && pair.floats && computes_quietly(pair, BinaryOp::kPower);
}

}  // namespace

bool numpy_ufunc(Executor& x, PyObject* ufunc, Args args, PyObject* names, SymRef* out) {
  const Ref title =
      Ref::steal(host::call(host::of_static, PyObject_GetAttrString, ufunc, "__name__"));
  const char* name = title && PyUnicode_Check(title.get()) ? utf8_text(title.get()) : nullptr;
  PyErr_Clear();
  if (!name) return wrong_arguments(x, "a ufunc");
  if (!positional(x, name, args, names, 1, 2)) return false;
  bool known = false;
  const auto in_a_turn = [&](const std::vector<SymRef>& of, SymRef* made) {
    return numpy_ufunc(x, ufunc, of, nullptr, made);
  };
  if (!call_by_turn(x, args, in_a_turn, out, &known)) return false;
  if (known) return true;
  if (args.size() == 1 && !computed_ufunc(x, ufunc, args[0], out, &known)) return false;
  if (known) return true;
  for (const SymRef& arg : args) {
    if (!x.look(arg)) return false;
    if (!number_object(arg)) return wrong_arguments(x, name);
  }
  // Numbers up to 100 fit every class, so also that of an 8-bit integer beside them.
  Pair pair{number_object(args[0]), number_object(args.back())};
  const bool quiet =
      pair.read() && (args.size() == 1 ? is_quiet_ufunc(name, pair.x) : is_quiet_ufunc(name, pair));
  if (!quiet) return wrong_arguments(x, name);
  return fold_result(
      x,
      Ref::steal(args.size() == 1 ? host::call(host::checked, PyObject_CallFunctionObjArgs, ufunc,
                                               pair.a, nullptr)
                                  : host::call(host::checked, PyObject_CallFunctionObjArgs, ufunc,
                                               pair.a, pair.b, nullptr)),
      name, out);
}

bool takes_numpy(PyObject* function, const char* name) {
  for (const char* known : {"int", "float", "complex", "round", "range"})
    if (std::strcmp(name, known) == 0) return true;
  PyObject* const home = PyCFunction_Check(function)
                             ? reinterpret_cast<PyCFunctionObject*>(function)->m_module
                             : nullptr;
  return home && PyUnicode_Check(home) && PyUnicode_CompareWithASCIIString(home, "math") == 0;
}

std::span<const ModelRow> numpy_methods() { return kMethods; }

}  // namespace msjit
