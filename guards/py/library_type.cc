#include "guards/py/library_type.h"

namespace msjit {

bool is_loading(PyObject* module) {
  const Ref spec = Ref::steal(PyObject_GetAttrString(module, "__spec__"));
  const Ref loading =
      spec ? Ref::steal(PyObject_GetAttrString(spec.get(), "_initializing")) : Ref();
  PyErr_Clear();
  return loading && PyObject_IsTrue(loading.get()) == 1;
}

PyObject* loaded_module(const char* name) {
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* found =
      modules && PyDict_Check(modules) ? PyDict_GetItemString(modules, name) : nullptr;
  return found && PyModule_CheckExact(found) && !is_loading(found) ? found : nullptr;
}

PyTypeObject* LibraryType::get() {
  if (found_) return found_;
  PyObject* module = loaded_module(module_);
  PyObject* found = module ? PyDict_GetItemString(PyModule_GetDict(module), name_) : nullptr;
  if (!found || !PyType_Check(found)) return nullptr;
  return found_ = reinterpret_cast<PyTypeObject*>(Ref::share(found).release());
}

}  // namespace msjit
