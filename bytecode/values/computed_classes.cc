#include "bytecode/values/computed_classes.h"

#include <algorithm>
#include <cstring>

#include "bytecode/values/computed.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

bool is_nonzero(Executor& x, const SymRef& value) {
  if (value->kind == SymKind::kScalar) return value->at_least > 0;
  if (value->kind == SymKind::kSize)
    return x.sizes().decide(SizeCompare::kGreaterEqual, Sizes::expr(value), size_const(1));
  PyObject* const object = value->kind == SymKind::kConst ? value->object.get() : nullptr;
  return object && (PyFloat_CheckExact(object) ? PyFloat_AS_DOUBLE(object) != 0
                                               : PyLong_Check(object) && _PyLong_Sign(object) != 0);
}

// Whether an int has so few bits that it is within the floats: that of a tensor, one of several
// such ints, or one made of them by a few operations.
bool is_small_int(const SymRef& value, int depth = 3) {
  int64_t number = 0;
  switch (value->kind) {
    case SymKind::kScalar: return !is_float(value->tensor.dtype());
    case SymKind::kSize: return true;
    case SymKind::kConst:
      return PyLong_Check(value->object.get()) && small_int(value->object.get(), &number);
    case SymKind::kComputed: break;
    default: return false;
  }
  const Computed computed = computed_parts(*value);
  if (computed.form == Computed::Form::kItem)
    return std::all_of(computed.operands->begin() + 1, computed.operands->end(),
                       [&](const SymRef& part) { return is_small_int(part, 0); });
  if (depth == 0 || computed.form != Computed::Form::kBinary) return false;
  switch (BinaryOp(computed.detail)) {
    case BinaryOp::kAdd:
    case BinaryOp::kSubtract:
    case BinaryOp::kMul:
    case BinaryOp::kRemainder:
    case BinaryOp::kFloorDivide: break;
    default: return false;
  }
  return std::ranges::all_of(*computed.operands,
                             [&](const SymRef& part) { return is_small_int(part, depth - 1); });
}

bool is_small_exponent(const SymRef& value) {
  constexpr int64_t kMost = 64;  // larger powers take long
  int64_t number = 0;
  return value->kind == SymKind::kConst && PyLong_CheckExact(value->object.get()) &&
         small_int(value->object.get(), &number) && number >= 0 && number <= kMost;
}

// Most functions of the math module give a float.
PyTypeObject* class_of_math(std::string_view name) {
  const auto among = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (among({"floor", "ceil", "trunc", "gcd", "lcm", "isqrt", "factorial", "comb", "perm"}))
    return &PyLong_Type;
  if (among({"isnan", "isinf", "isfinite", "isclose"})) return &PyBool_Type;
  return among({"frexp", "modf"}) ? nullptr : &PyFloat_Type;
}

bool is_of_math(PyObject* function) {
  PyObject* const home = PyCFunction_Check(function)
                             ? reinterpret_cast<PyCFunctionObject*>(function)->m_module
                             : nullptr;
  return home && PyUnicode_Check(home) && PyUnicode_CompareWithASCIIString(home, "math") == 0;
}

}  // namespace

PyTypeObject* numpy_number() {
  PyObject* const module = loaded_module("numpy");
  PyObject* const found = module ? host::find_name(PyModule_GetDict(module), "generic") : nullptr;
  return found && PyType_Check(found) ? reinterpret_cast<PyTypeObject*>(found) : nullptr;
}

std::array<PyTypeObject*, 5> computable_classes() {
  return {&PyFloat_Type, &PyLong_Type, &PyBool_Type, &PyUnicode_Type, numpy_number()};
}
bool is_computable(PyTypeObject* type) {
  const auto known = computable_classes();
  return type && std::find(known.begin(), known.end(), type) != known.end();
}
bool is_number_class(PyTypeObject* type) {
  return type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type;
}
bool is_numpy_class(PyTypeObject* type) { return type && type == numpy_number(); }
bool is_int_class(PyTypeObject* type) { return type == &PyLong_Type || type == &PyBool_Type; }

PyTypeObject* class_of_numbers(PyTypeObject* a, PyTypeObject* b, const SymRef& right, BinaryOp op) {
  const bool ints = is_int_class(a) && is_int_class(b);
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSubtract:
    case BinaryOp::kMul:
    case BinaryOp::kFloorDivide:
    case BinaryOp::kRemainder: return ints ? &PyLong_Type : &PyFloat_Type;
    case BinaryOp::kTrueDivide: return &PyFloat_Type;
    case BinaryOp::kPower:
      if (!ints) return &PyFloat_Type;  // a complex result fails at the exit
      return right->kind == SymKind::kConst && _PyLong_Sign(right->object.get()) >= 0 ? &PyLong_Type
                                                                                      : nullptr;
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
    case BinaryOp::kXor:
      if (!ints) return nullptr;
      return a == &PyBool_Type && b == &PyBool_Type ? &PyBool_Type : &PyLong_Type;
    case BinaryOp::kLshift:
    case BinaryOp::kRshift: return ints ? &PyLong_Type : nullptr;
    case BinaryOp::kMatMul: return nullptr;
  }
  return nullptr;
}

bool numbers_may_raise(Executor& x, PyTypeObject* a, PyTypeObject* b, const SymRef& left,
                       const SymRef& right, BinaryOp op) {
  const bool fit = (!is_int_class(a) || is_small_int(left)) &&
                   (!is_int_class(b) || is_small_int(right));  // an int may be beyond all floats
  const bool ints = is_int_class(a) && is_int_class(b);
  switch (op) {
    case BinaryOp::kTrueDivide: return !is_nonzero(x, right) || !fit;
    case BinaryOp::kRemainder:
    case BinaryOp::kFloorDivide: return !is_nonzero(x, right) || !ints;
    case BinaryOp::kPower: return !ints || !is_small_exponent(right);
    case BinaryOp::kAdd:
    case BinaryOp::kSubtract:
    case BinaryOp::kMul: return is_int_class(a) != is_int_class(b) && !fit;
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
    case BinaryOp::kXor: return false;
    default: return true;
  }
}

PyTypeObject* class_of_call(PyObject* function, std::string_view name,
                            const std::vector<PyTypeObject*>& args) {
  const auto all = [&](auto test) { return std::ranges::all_of(args, test); };
  if (is_of_math(function)) return all(is_number_class) ? class_of_math(name) : nullptr;
  const size_t count = args.size();
  if (count == 1 && is_numpy_class(args[0])) {
    if (name == "int") return &PyLong_Type;
    if (name == "float") return &PyFloat_Type;
    return name == "abs" ? args[0] : nullptr;
  }
  if (count == 1 && is_number_class(args[0])) {
    if (name == "int" || name == "round") return &PyLong_Type;
    if (name == "float") return &PyFloat_Type;
    if (name == "abs") return is_int_class(args[0]) ? &PyLong_Type : &PyFloat_Type;
    if (name == "str" || name == "repr" || name == "format") return &PyUnicode_Type;
  }
  if (count == 2 && name == "round" && is_number_class(args[0]) && is_int_class(args[1]))
    return is_int_class(args[0]) ? &PyLong_Type : &PyFloat_Type;
  if (count == 2 && name == "format" && args[0] != &PyUnicode_Type && args[1] == &PyUnicode_Type)
    return &PyUnicode_Type;
  const bool alike = all([&](PyTypeObject* type) { return type == args[0]; });
  if (count > 1 && alike && is_number_class(args[0]) && (name == "min" || name == "max"))
    return args[0];
  return name == "str.format" && all(is_computable) ? &PyUnicode_Type : nullptr;
}

namespace {

// The name of numpy.isnan and the like, which answer like the functions of math; "" for other
// ufuncs.
const char* ufunc_name(PyObject* function) {
  if (!host::is_static(function) || std::strcmp(Py_TYPE(function)->tp_name, "numpy.ufunc") != 0)
    return "";
  const Ref name =
      Ref::steal(host::call(host::of_static, PyObject_GetAttrString, function, "__name__"));
  if (!name) PyErr_Clear();
  for (const char* known : {"isnan", "isinf", "isfinite"})
    if (name && PyUnicode_CheckExact(name.get()) &&
        PyUnicode_CompareWithASCIIString(name.get(), known) == 0)
      return known;
  return "";
}

}  // namespace

const char* function_name(PyObject* function) {
  if (function == reinterpret_cast<PyObject*>(&PyFloat_Type)) return "float";
  if (function == reinterpret_cast<PyObject*>(&PyLong_Type)) return "int";
  if (!PyCFunction_Check(function)) return ufunc_name(function);
  PyObject* const self = PyCFunction_GET_SELF(function);
  const bool of_module = self && PyModule_Check(self);
  return of_module ? reinterpret_cast<PyCFunctionObject*>(function)->m_ml->ml_name : "";
}

// False only for the functions listed here: on floats, and for abs, min and max also on ints.
bool call_may_raise(PyObject* function, const std::vector<PyTypeObject*>& args) {
  static constexpr std::string_view kSafe[] = {"abs",   "min",   "max",      "float",
                                               "isnan", "isinf", "isfinite", "fabs"};
  const std::string_view name = function_name(function);
  const bool ints = name == "abs" || name == "min" || name == "max";
  const bool plain = std::ranges::all_of(args, [&](PyTypeObject* type) {
    return type == &PyFloat_Type || (ints && is_int_class(type));
  });
  return !plain || std::ranges::find(kSafe, name) == std::end(kSafe);
}

}  // namespace msjit
