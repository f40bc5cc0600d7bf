#include "bytecode/object_kinds.h"

#include <algorithm>
#include <string_view>

#include "bytecode/library.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "guards/py/tensor_class.h"
#include "guards/py/text.h"
#include "guards/py/twister.h"

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
         !is_tensor(o) && !PyMethod_Check(o) && !PySlice_Check(o) && !is_numpy_scalar(o);
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

bool is_bound_builtin(PyObject* o) {
  if (!PyCFunction_Check(o) || is_identity_constant(o)) return false;
  auto* const method = reinterpret_cast<PyCFunctionObject*>(o);
  PyTypeObject* const type = Py_TYPE(method->m_self);
  const Ref name = interned_text(method->m_ml->ml_name);
  PyTypeObject* const twister = twister_type();
  PyTypeObject* const owner = twister && PyType_IsSubtype(type, twister)    ? twister
                              : (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 ? nullptr
                                                                            : type;
  PyObject* const found = owner && name ? host::find_on_class(owner, name.get()) : nullptr;
  return found && Py_TYPE(found) == &PyMethodDescr_Type &&
         reinterpret_cast<PyMethodDescrObject*>(found)->d_method == method->m_ml;
}

bool is_object_member(PyTypeObject* type, PyObject* o) {
  if (Py_TYPE(o) != &PyMemberDescr_Type) return false;
  const int kind = reinterpret_cast<PyMemberDescrObject*>(o)->d_member->type;
  return (kind == T_OBJECT || kind == T_OBJECT_EX) && PyType_IsSubtype(type, PyDescr_TYPE(o)) &&
         host::find_on_class(type, PyDescr_NAME(o)) == o;
}

namespace {

// Whether a capture never calls this special method of a tensor.
bool is_free_special(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "__init__",          "__new__",           "__del__",        "__doc__",
      "__module__",        "__qualname__",      "__dict__",       "__weakref__",
      "__slots__",         "__annotations__",   "__parameters__", "__orig_bases__",
      "__init_subclass__", "__class_getitem__", "__set_name__",   "__static_attributes__",
      "__firstlineno__",   "__repr__",          "__str__",        "__format__",
      "__hash__",          "__copy__",          "__deepcopy__",   "__reduce__",
      "__reduce_ex__",     "__getstate__",      "__setstate__"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool is_special_name(std::string_view name) {
  return name.starts_with("__") && name.ends_with("__");
}

}  // namespace

const char* odd_tensor_name(PyTypeObject* type) {
  PyObject* const bases = type->tp_mro;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i));
    if (base == &g_tensor_type || base == &PyBaseObject_Type) continue;
    if (!(base->tp_flags & Py_TPFLAGS_HEAPTYPE)) return "static base class";
    PyObject* name = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(base->tp_dict, &at, &name, nullptr);) {
      const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
      if (!text) return PyErr_Clear(), "names";
      if (is_special_name(text) && !is_free_special(text)) return text;
    }
  }
  return nullptr;
}

const char* odd_tensor_class_name() {
  for (const std::string& name : names_set_on_tensor())
    if (is_special_name(name) && !is_free_special(name)) return name.c_str();
  return nullptr;
}

bool has_plain_metaclass(PyObject* cls) {
  return Py_TYPE(cls) == &PyType_Type || Py_TYPE(cls) == Py_TYPE(&g_tensor_type);
}

bool is_writable_member(PyTypeObject* type, PyObject* o) {
  return is_object_member(type, o) &&
         !(reinterpret_cast<PyMemberDescrObject*>(o)->d_member->flags & READONLY);
}

}  // namespace msjit
