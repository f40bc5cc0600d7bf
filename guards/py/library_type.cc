#include "guards/py/library_type.h"

#include "guards/py/compat.h"

#include <string>
#include <string_view>

namespace msjit {
namespace {

bool is_text(const Ref& object, std::string_view text) {
  const char* found =
      object && PyUnicode_Check(object.get()) ? PyUnicode_AsUTF8(object.get()) : nullptr;
  if (!found) PyErr_Clear();
  return found && text == found;
}

}  // namespace

bool comes_with(const char* module, PyObject* found) {
  const Ref home = Ref::steal(PyObject_GetAttrString(found, "__module__"));
  // What operator and functools offer is from _operator and _functools, _collections.defaultdict
  // says to be from collections.
  const std::string within = std::string("_") + module;
  return is_text(home, module) || is_text(home, within) ||
         (*module == '_' && is_text(home, module + 1));
}

bool comes_with(const char* module, const char* name, PyObject* found) {
  if (!comes_with(module, found)) return false;
  // functools.wraps() gives the names of one function to another, but not those of its code.
  const Ref code = PyFunction_Check(found) ? Ref::share(PyFunction_GET_CODE(found)) : Ref();
  const Ref own = Ref::steal(code ? PyObject_GetAttrString(code.get(), "co_name")
                                  : PyObject_GetAttrString(found, "__name__"));
  return is_text(own, name);
}

bool is_loading(PyObject* module) {
  const Ref spec = Ref::steal(PyObject_GetAttrString(module, "__spec__"));
  const Ref loading =
      spec ? Ref::steal(PyObject_GetAttrString(spec.get(), "_initializing")) : Ref();
  PyErr_Clear();
  return loading && PyObject_IsTrue(loading.get()) == 1;
}

// An interpreter that ends drops the table of modules, and from 3.14 on does not survive the
// question for it.
PyObject* loaded_module(const char* name) {
  PyObject* modules = compat::is_finalizing() ? nullptr : PyImport_GetModuleDict();
  PyObject* found =
      modules && PyDict_Check(modules) ? PyDict_GetItemString(modules, name) : nullptr;
  return found && PyModule_CheckExact(found) && !is_loading(found) ? found : nullptr;
}

PyTypeObject* LibraryType::get() {
  if (found_) return found_;
  PyObject* module = loaded_module(module_);
  PyObject* found = module ? PyDict_GetItemString(PyModule_GetDict(module), name_) : nullptr;
  if (!found || !PyType_Check(found) || !comes_with(module_, found)) return nullptr;
  return found_ = reinterpret_cast<PyTypeObject*>(Ref::share(found).release());
}

}  // namespace msjit
