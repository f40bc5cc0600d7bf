#include "bytecode/object_kinds.h"

#include "bytecode/library.h"
#include "guards/py/objects.h"

#include <structmember.h>

namespace msjit {

bool is_value_type(PyObject* o) {
  return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyUnicode_CheckExact(o) ||
         PyBytes_CheckExact(o) || PyComplex_CheckExact(o) || PyRange_Check(o);
}

bool is_singleton(PyObject* o) {
  return o == Py_None || o == Py_True || o == Py_False || o == Py_Ellipsis ||
         o == Py_NotImplemented;
}

bool is_mutable(PyObject* o) {
  return !is_singleton(o) && !is_value_type(o) && !PyTuple_Check(o) && !is_identity_constant(o) &&
         !is_tensor(o) && !PyMethod_Check(o) && !PySlice_Check(o);
}

bool is_single(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  if (PyType_Check(o))
    return type->tp_richcompare == PyType_Type.tp_richcompare &&
           type->tp_hash == PyType_Type.tp_hash;
  if (PyFunction_Check(o)) return true;
  return type->tp_richcompare == PyBaseObject_Type.tp_richcompare &&
         (type->tp_hash == PyBaseObject_Type.tp_hash || is_enum_type(type));
}

bool is_key_value(PyObject* o) {
  if (PyTuple_CheckExact(o)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i)
      if (!is_key_value(PyTuple_GET_ITEM(o, i))) return false;
    return true;
  }
  if (PyFloat_CheckExact(o)) return PyFloat_AS_DOUBLE(o) == PyFloat_AS_DOUBLE(o);
  return is_singleton(o) || PyUnicode_CheckExact(o) || PyLong_CheckExact(o) ||
         PyBytes_CheckExact(o);
}

bool is_identity_constant(PyObject* o) {
  if (PyFunction_Check(o) || PyType_Check(o) || PyModule_Check(o)) return true;
  if (PyCFunction_Check(o)) {
    PyObject* self = PyCFunction_GET_SELF(o);
    return !self || PyModule_Check(self) || PyType_Check(self);
  }
  return Py_TYPE(o) == &PyMethodDescr_Type || Py_TYPE(o) == &PyWrapperDescr_Type ||
         Py_TYPE(o) == &PyGetSetDescr_Type || is_op(o) || Py_TYPE(o) == &g_dtype_type ||
         PyCode_Check(o) || Py_TYPE(o) == g_jit_callable.type;
}

bool is_object_member(PyTypeObject* type, PyObject* o) {
  if (Py_TYPE(o) != &PyMemberDescr_Type) return false;
  const int kind = reinterpret_cast<PyMemberDescrObject*>(o)->d_member->type;
  return (kind == T_OBJECT || kind == T_OBJECT_EX) && PyType_IsSubtype(type, PyDescr_TYPE(o)) &&
         _PyType_Lookup(type, PyDescr_NAME(o)) == o;
}

bool is_writable_member(PyTypeObject* type, PyObject* o) {
  return is_object_member(type, o) &&
         !(reinterpret_cast<PyMemberDescrObject*>(o)->d_member->flags & READONLY);
}

}  // namespace msjit
