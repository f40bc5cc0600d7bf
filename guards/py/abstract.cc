#include "guards/py/abstract.h"

#include "guards/py/host_call.h"
#include "guards/py/library_type.h"
#include "guards/py/set_table.h"

namespace msjit {
namespace {

// A function of the C module _abc, kept for good; null when there is none with these flags.
PyObject* abc_function(const char* name, int flags) {
  PyObject* const module = loaded_module("_abc");
  PyObject* const found = module ? host::find_name(PyModule_GetDict(module), name) : nullptr;
  if (!found || !PyCFunction_Check(found) || PyCFunction_GET_FLAGS(found) != flags) return nullptr;
  return Ref::share(found).release();
}

Ref call(PyObject* function, PyObject* argument) {
  if (!function) return {};
  Ref result =
      Ref::steal(PyCFunction_GET_FUNCTION(function)(PyCFunction_GET_SELF(function), argument));
  if (!result) PyErr_Clear();
  return result;
}

bool holds(PyObject* weak_set, PyTypeObject* type) {
  bool found = false;
  if (!PyAnySet_CheckExact(weak_set)) return false;
  visit_set(weak_set, [&](PyObject* item) {
    found |= PyWeakref_CheckRef(item) && reinterpret_cast<PyWeakReference*>(item)->wr_object ==
                                             reinterpret_cast<PyObject*>(type);
  });
  return found;
}

}  // namespace

PyTypeObject* abstract_metaclass() {
  static constinit LibraryType known("abc", "ABCMeta");
  static PyObject* const name = PyUnicode_InternFromString("__instancecheck__");
  PyTypeObject* const type = known.get();
  PyObject* const check = type && name ? host::find_on_class(type, name) : nullptr;
  return check && PyFunction_Check(check) && comes_with("abc", "__instancecheck__", check)
             ? type
             : nullptr;
}

int64_t registrations() {
  static PyObject* const function = abc_function("get_cache_token", METH_NOARGS);
  const Ref token = call(function, nullptr);
  return token && PyLong_CheckExact(token.get()) ? PyLong_AsLongLong(token.get()) : -1;
}

Remembered remembered_subclass(PyObject* cls, PyTypeObject* type) {
  static PyObject* const function = abc_function("_get_dump", METH_O);
  const Ref dump = call(function, cls);  // registry, yes, no, registrations when "no" was asked
  if (!dump || !PyTuple_CheckExact(dump.get()) || PyTuple_GET_SIZE(dump.get()) != 4)
    return Remembered::kNothing;
  if (holds(PyTuple_GET_ITEM(dump.get(), 1), type)) return Remembered::kYes;
  PyObject* const when = PyTuple_GET_ITEM(dump.get(), 3);
  const bool current = PyLong_CheckExact(when) && PyLong_AsLongLong(when) == registrations();
  return current && holds(PyTuple_GET_ITEM(dump.get(), 2), type) ? Remembered::kNo
                                                                 : Remembered::kNothing;
}

}  // namespace msjit
