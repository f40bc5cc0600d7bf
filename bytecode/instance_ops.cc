// Operators, comparisons, truth and text of instances. Methods are tried in CPython's order.
#include <fmt/core.h>

#include <cstring>

#include "bytecode/instance.h"
#include "bytecode/numpy_dtypes.h"
#include "bytecode/values/classes.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"

namespace msjit {
namespace {

constexpr const char* kBinaryNames[kBinaryOpCount] = {
    "add", "and", "floordiv", "lshift", "matmul",  "mul", "mod",
    "or",  "pow", "rshift",   "sub",    "truediv", "xor"};

bool is_not_implemented(const SymRef& value) { return value->is_const(Py_NotImplemented); }

// Tries one method; NotImplemented when the class does not have it.
bool try_method(Executor& x, const SymRef& self, const std::string& name, const SymRef& other,
                SymRef* out) {
  PyObject* found = self->kind == SymKind::kObject ? find_special(self, name.c_str()) : nullptr;
  if (!found || found == Py_None) {
    *out = make_const(Ref::share(Py_NotImplemented));
    return found ? x.fail(BreakReason::kRaises, name) : true;
  }
  if (!call_special(x, self, name.c_str(), {other}, out)) return false;
  return x.look(*out);
}

bool is_strict_subclass(const SymRef& a, const SymRef& b) {
  return type_of(*a) != type_of(*b) && PyType_IsSubtype(type_of(*a), type_of(*b));
}

// Whether a class has no builtin type among its bases but object.
bool is_plain_class(PyTypeObject* type) {
  while (type->tp_flags & Py_TPFLAGS_HEAPTYPE) type = type->tp_base;
  return type == &PyBaseObject_Type;
}

// Whether the operators of a builtin value return NotImplemented for an instance of a plain class.
bool declines(const SymRef& builtin, const SymRef& other, BinaryOp op) {
  if (!is_plain_class(type_of(*other))) return false;
  for (const char* name : {"__array_interface__", "__array__", "__dlpack__", "__getattr__",
                           "__getattribute__", "__index__", "__float__", "__buffer__"}) {
    PyObject* found = find_special(other, name);
    if (found && Py_TYPE(found) != &PyWrapperDescr_Type) return false;
  }
  const auto rule = kind_of(builtin).declines_instances;
  return rule && rule(builtin, op);
}

bool try_in_place(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, SymRef* out) {
  return try_method(x, a, fmt::format("__i{}__", kBinaryNames[static_cast<int>(op)]), b, out);
}

}  // namespace

bool instance_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                     SymRef* out) {
  const std::string name = kBinaryNames[static_cast<int>(op)];
  const std::string left = fmt::format("__{}__", name), right = fmt::format("__r{}__", name);
  const std::string what = fmt::format("{} {} {}", describe(*a), binary_symbol(op), describe(*b));
  if (!type_of(*a) || !type_of(*b)) return x.fail(BreakReason::kUnsupported, what);
  if (a->kind != SymKind::kObject && !declines(a, b, op))
    return x.fail(BreakReason::kUnsupported, what);
  if (in_place) {
    if (!try_in_place(x, a, b, op, out)) return false;
    if (!is_not_implemented(*out)) return true;
  }
  bool reflected = type_of(*a) == type_of(*b);
  if (is_strict_subclass(b, a) && find_special(b, right.c_str()) &&
      find_special(b, right.c_str()) != find_special(a, right.c_str())) {
    if (!try_method(x, b, right, a, out)) return false;
    if (!is_not_implemented(*out)) return true;
    reflected = true;
  }
  if (!try_method(x, a, left, b, out)) return false;
  if (!is_not_implemented(*out)) return true;
  if (b->kind != SymKind::kObject && !declines(b, a, op))
    return x.fail(BreakReason::kUnsupported, what);
  if (!reflected) {
    if (!try_method(x, b, right, a, out)) return false;
    if (!is_not_implemented(*out)) return true;
  }
  return x.fail(BreakReason::kRaises, what);
}

namespace {

constexpr const char* kCompareNames[] = {"__lt__", "__le__", "__eq__",
                                         "__ne__", "__gt__", "__ge__"};
constexpr int kSwapped[] = {Py_GT, Py_GE, Py_EQ, Py_NE, Py_LT, Py_LE};

SymRef boolean(bool value) { return make_const(Ref::share(value ? Py_True : Py_False)); }

// The result of one operand's method, NotImplemented included.
bool try_compare(Executor& x, const SymRef& self, const SymRef& other, int op, SymRef* out) {
  *out = make_const(Ref::share(Py_NotImplemented));
  if (self->kind != SymKind::kObject)  // builtin values do not know instances of plain classes
    return is_plain_class(type_of(*other)) ||
           x.fail(BreakReason::kUnsupported, "comparison with " + describe(*other));
  PyObject* found = find_special(self, kCompareNames[op]);
  const bool of_object = found && Py_TYPE(found) == &PyWrapperDescr_Type &&
                         reinterpret_cast<PyDescrObject*>(found)->d_type == &PyBaseObject_Type;
  if (!of_object) return try_method(x, self, kCompareNames[op], other, out);
  if (op == Py_EQ) {
    bool same = false;
    if (!identical(x, self, other, &same)) return false;
    if (same) *out = boolean(true);
  } else if (op == Py_NE) {  // the opposite of __eq__
    bool truth = false;
    if (!try_compare(x, self, other, Py_EQ, out)) return false;
    if (is_not_implemented(*out)) return true;
    if (!x.truth(*out, &truth)) return false;
    *out = boolean(!truth);
  }
  return true;
}

}  // namespace

bool instance_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out) {
  const std::string what = fmt::format("comparison of {} and {}", describe(*a), describe(*b));
  if (!type_of(*a) || !type_of(*b) || a->is_tensor() ||
      (b->is_tensor() && !has_special(a, kCompareNames[op])))
    return x.fail(BreakReason::kUnsupported, what);
  bool reversed = false;
  if (is_strict_subclass(b, a)) {
    if (!try_compare(x, b, a, kSwapped[op], out)) return false;
    if (!is_not_implemented(*out)) return true;
    reversed = true;
  }
  if (!try_compare(x, a, b, op, out)) return false;
  if (!is_not_implemented(*out)) return true;
  if (b->is_tensor()) return x.fail(BreakReason::kUnsupported, what);
  if (!reversed) {
    if (!try_compare(x, b, a, kSwapped[op], out)) return false;
    if (!is_not_implemented(*out)) return true;
  }
  if (op != Py_EQ && op != Py_NE) return x.fail(BreakReason::kRaises, what);
  bool same = false;
  if (!identical(x, a, b, &same)) return false;
  *out = boolean(same == (op == Py_EQ));
  return true;
}

bool instance_truth(Executor& x, const SymRef& value, bool* out) {
  PyTypeObject* type = type_of(*value);
  const bool number = type->tp_as_number && type->tp_as_number->nb_bool;
  const bool sized = (type->tp_as_mapping && type->tp_as_mapping->mp_length) ||
                     (type->tp_as_sequence && type->tp_as_sequence->sq_length);
  *out = true;  // without __bool__ and __len__
  if (!number && !sized) return true;
  SymRef answer;
  if (number) {
    if (!call_special(x, value, "__bool__", {}, &answer) || !x.look(answer)) return false;
    if (!answer->is_const(Py_True) && !answer->is_const(Py_False))
      return x.fail(answer->is_tensor() ? BreakReason::kTensorBranch : BreakReason::kRaises,
                    "__bool__");
    *out = answer->is_const(Py_True);
    return true;
  }
  int64_t size = 0;
  if (!x.length(value, &size)) return false;
  *out = size != 0;
  return true;
}

bool instance_iter(Executor& x, const SymRef& value, SymRef* out) {
  if (!has_special(value, "__iter__")) return x.fail(BreakReason::kIterate, describe(*value));
  if (!call_special(x, value, "__iter__", {}, out) || !x.look(*out)) return false;
  return is_iterator(*out) || x.fail(BreakReason::kIterate, describe(**out));
}

bool instance_next(Executor& x, const SymRef& iterator, SymRef* out, bool* done) {
  *done = false;
  {
    const Executor::Catching catching(x);
    if (call_special(x, iterator, "__next__", {}, out)) return true;
  }
  if (!x.take_raised(PyExc_StopIteration)) return x.raise_on();
  return *done = true;
}

namespace {

// str(e) of an exception with one argument is the str() of that; for a KeyError its repr().
bool exception_str(Executor& x, const SymRef& value, PyObject* method, SymRef* out) {
  const PyTypeObject* owner = reinterpret_cast<PyDescrObject*>(method)->d_type;
  const auto is = [&](PyObject* type) {
    return owner->tp_str == reinterpret_cast<PyTypeObject*>(type)->tp_str;
  };
  static PyObject* const args_name = special_name("args");
  const SymRef args = x.heap().instance_attr(value, args_name);
  Ref constant =
      args && (is(PyExc_BaseException) || is(PyExc_KeyError)) ? constant_object(args) : Ref();
  if (!value->cls || !constant || !PyTuple_CheckExact(constant.get()))
    return x.fail(BreakReason::kCallUnknown, "str() of " + describe(*value));
  const Py_ssize_t count = PyTuple_GET_SIZE(constant.get());
  PyObject* only = count == 1 ? PyTuple_GET_ITEM(constant.get(), 0) : nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GET_ITEM(constant.get(), i);
    if (!PyUnicode_CheckExact(item) && !PyLong_CheckExact(item) && !PyFloat_CheckExact(item) &&
        !PyBool_Check(item) && item != Py_None)
      return x.fail(BreakReason::kCallUnknown, "str() of " + describe(*value));
  }
  Ref text = count == 0 ? Ref::steal(PyUnicode_FromString(""))
             : only && is(PyExc_KeyError)
                 ? Ref::steal(host::call(host::values, PyObject_Repr, only))
             : only ? Ref::steal(host::call(host::values, PyObject_Str, only))
                    : Ref::steal(host::call(host::values, PyObject_Str, constant.get()));
  if (!text) return PyErr_Clear(), x.fail(BreakReason::kRaises, "str()");
  *out = make_const(std::move(text));
  return true;
}

// The text that a method of an instance returns.
bool text_by(Executor& x, const SymRef& value, const char* method, SymRef* out) {
  if (!call_special(x, value, method, {}, out) || !x.look(*out)) return false;
  if ((*out)->kind == SymKind::kConst && PyUnicode_CheckExact((*out)->object.get())) return true;
  return x.fail(BreakReason::kRaises, method);
}

}  // namespace

bool instance_str(Executor& x, const SymRef& value, SymRef* out) {
  const char* name = "__str__";
  PyObject* found = find_special(value, name);
  if (found && is_exception_type(type_of(*value)) && Py_TYPE(found) == &PyWrapperDescr_Type)
    return exception_str(x, value, found, out);
  if (found && !has_special(value, name) && has_special(value, "__repr__")) {
    const bool of_object = Py_TYPE(found) == &PyWrapperDescr_Type &&
                           reinterpret_cast<PyDescrObject*>(found)->d_type == &PyBaseObject_Type;
    if (of_object) name = "__repr__";
  }
  return text_by(x, value, name, out);
}

bool instance_repr(Executor& x, const SymRef& value, SymRef* out) {
  if (!has_special(value, "__repr__"))
    return x.fail(BreakReason::kCallUnknown, "repr() of " + describe(*value));
  return text_by(x, value, "__repr__", out);
}

bool text_of_object(Executor& x, const SymRef& value, bool as_str, SymRef* out, bool* known) {
  const bool instance = value->kind == SymKind::kObject;
  if (value->kind == SymKind::kConst && as_str && is_numpy_dtype(value->object.get()))
    return *known = true, x.get_attr(value, special_name("name"), out);  // NumPy's text of it
  *known = instance || (value->kind == SymKind::kConst && PyType_Check(value->object.get()));
  if (!*known) return true;
  if (!instance) return class_text(x, value, out);
  return as_str ? instance_str(x, value, out) : instance_repr(x, value, out);
}

}  // namespace msjit
