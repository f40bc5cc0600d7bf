#include "bytecode/handlers/operands.h"

#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/convert.h"
#include "guards/py/objects.h"

namespace msjit {

bool is_builtin_value(PyObject* o) {
  if (PyTuple_CheckExact(o)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i)
      if (PyObject* item = PyTuple_GET_ITEM(o, i);
          !is_builtin_value(item) && !compares_by_identity(item))
        return false;
    return true;
  }
  return PyLong_CheckExact(o) || PyBool_Check(o) || PyFloat_CheckExact(o) ||
         PyUnicode_CheckExact(o) || PyComplex_CheckExact(o) || PyBytes_CheckExact(o) ||
         o == Py_None;
}

bool compares_by_identity(PyObject* o) {
  return is_identity_constant(o) && (!(Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE) || is_single(o));
}

bool is_plain_number(const SymRef& value) {
  if (is_size(value) || value->kind == SymKind::kNumber) return true;
  PyObject* o = value->kind == SymKind::kConst ? value->object.get() : nullptr;
  return o && (PyLong_CheckExact(o) || PyBool_Check(o) || PyFloat_CheckExact(o));
}

bool is_sequence(Executor& x, const SymRef& value) {
  return value->kind != SymKind::kTensor && x.heap().items(value) != nullptr;
}

bool is_plain_sequence(Executor& x, const SymRef& value) {
  const bool may_be = value->kind == SymKind::kTuple || value->kind == SymKind::kList ||
                      (value->kind == SymKind::kConst && PyTuple_CheckExact(value->object.get()));
  return may_be && !value->cls && is_sequence(x, value);  // an open number is not looked at
}

bool is_plain_tuple(const SymRef& value) {
  return (value->kind == SymKind::kTuple && !value->cls) ||
         (value->kind == SymKind::kConst && PyTuple_CheckExact(value->object.get()));
}

bool is_no_operand(const SymRef& value) {
  if (value->kind != SymKind::kConst) return kind_of(value).declined_by_tensors;
  PyObject* const o = value->object.get();
  return PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) || o == Py_None || o == Py_Ellipsis ||
         PyFunction_Check(o) || PyCFunction_Check(o) || Py_TYPE(o) == &PyType_Type;
}

bool numpy_pair(const SymRef& a, const SymRef& b) {
  const auto scalar = [](const SymRef& v) { return is_numpy_scalar(v); };
  const auto plain = [](const SymRef& v) {
    return v->is_tensor() && (!v->object || is_exact_tensor(v->object.get()));
  };
  return (plain(a) && scalar(b)) || (scalar(a) && plain(b));
}

bool are_tensor_operands(const SymRef& a, const SymRef& b) {
  const auto fits = [](const SymRef& v) { return v->is_tensor() || is_plain_number(v); };
  return numpy_pair(a, b) || (fits(a) && fits(b));
}

bool apply_to_pair(Executor& x, const OpDef& op, const SymRef& a, const SymRef& b, SymRef* out) {
  Val inputs[2];
  return x.to_val(a, &inputs[0]) && x.to_val(b, &inputs[1]) &&
         x.apply_called(op, inputs, {}, {}, out);
}

bool is_text(const SymRef& value) {
  PyObject* o = value->kind == SymKind::kConst ? value->object.get() : nullptr;
  return o && (PyUnicode_CheckExact(o) || PyBytes_CheckExact(o));
}

bool plain_pair(Executor& x, const SymRef& a, const SymRef& b, std::optional<BinaryOp> op,
                SymRef* p, SymRef* q) {
  const bool bitwise = op == BinaryOp::kAnd || op == BinaryOp::kOr || op == BinaryOp::kXor;
  const bool prints = op == BinaryOp::kRemainder;
  *p = plain_value(x, a, bitwise);
  *q = plain_value(x, b, bitwise);
  if (prints && *q != b && is_text(*p)) return false;
  // NumPy treats an int of another class as an array.
  if (is_numpy_scalar(a) || is_numpy_scalar(b)) return false;
  return (*p != a && (*q != b || b->kind != SymKind::kObject)) ||
         (*q != b && a->kind != SymKind::kObject);
}

bool fold(Executor& x, PyObject* result, const char* what, SymRef* out) {
  if (!result) return x.raise_python(what);
  *out = make_const(Ref::steal(result));
  return true;
}

}  // namespace msjit
