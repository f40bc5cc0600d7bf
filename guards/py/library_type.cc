#include "guards/py/library_type.h"

#include "guards/py/compat.h"
#include "guards/py/host_call.h"

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

// An attribute in which a function or a class describes itself. For a class that a program could
// have made, the class's dict is read directly: its metaclass may be written in Python.
Ref own_text(PyObject* found, const char* name) {
  if (PyType_Check(found) && !host::is_static(found))
    return Ref::share(host::find_name(reinterpret_cast<PyTypeObject*>(found)->tp_dict, name));
  if (!host::is_static(found)) return {};
  Ref text = Ref::steal(host::call(host::of_static, PyObject_GetAttrString, found, name));
  if (!text) PyErr_Clear();
  return text;
}

Ref name_of(PyObject* found) {
  if (PyType_Check(found) && !host::is_static(found))
    return Ref::share(reinterpret_cast<PyHeapTypeObject*>(found)->ht_name);
  // functools.wraps() copies the name of one function to another, but not the name in its code.
  if (PyFunction_Check(found)) return Ref::share(compat::function_code(found)->co_name);
  return own_text(found, "__name__");
}

}  // namespace

bool comes_with(const char* module, PyObject* found) {
  const Ref home = own_text(found, "__module__");
  // The functions of operator and functools name _operator and _functools as their module.
  // _collections.defaultdict names collections.
  const std::string within = std::string("_") + module;
  return is_text(home, module) || is_text(home, within) ||
         (*module == '_' && is_text(home, module + 1));
}

bool comes_with(const char* module, const char* name, PyObject* found) {
  if (!comes_with(module, found)) return false;
  return is_text(name_of(found), name);
}

bool is_loading(PyObject* module) {
  PyObject* const spec = host::find_name(PyModule_GetDict(module), "__spec__");
  static PyObject* const name = PyUnicode_InternFromString("_initializing");
  if (!spec || !name) return PyErr_Clear(), false;
  // Read only from importlib's own class of specs, where no Python code answers.
  const bool plain = Py_TYPE(spec)->tp_getattro == PyObject_GenericGetAttr &&
                     !host::find_on_class(Py_TYPE(spec), name);
  const Ref loading =
      plain ? Ref::steal(host::call(host::checked, PyObject_GenericGetAttr, spec, name)) : Ref();
  if (!loading) PyErr_Clear();
  return loading && loading.get() != Py_False;
}

// An interpreter that shuts down drops sys.modules. From 3.14 on asking for it then would crash.
PyObject* loaded_module(const char* name) {
  PyObject* modules = compat::is_finalizing() ? nullptr : PyImport_GetModuleDict();
  PyObject* found = modules && PyDict_Check(modules) ? host::find_name(modules, name) : nullptr;
  return found && PyModule_CheckExact(found) && !is_loading(found) ? found : nullptr;
}

PyTypeObject* LibraryType::get() {
  if (found_ || refused_) return found_;
  PyObject* module = loaded_module(module_);
  PyObject* found = module ? host::find_name(PyModule_GetDict(module), name_) : nullptr;
  if (!found || !PyType_Check(found) || !comes_with(module_, found)) return nullptr;
  auto* const type = reinterpret_cast<PyTypeObject*>(found);
  refused_ = fits_ != nullptr;  // also while `fits` makes an instance and asks for the class itself
  if (fits_ && !fits_(type)) return nullptr;
  refused_ = false;
  Py_INCREF(found);
  return found_ = type;
}

int64_t limit_of_deque(PyObject* deque) {
  static PyObject* const name = PyUnicode_InternFromString("maxlen");
  const Ref limit = Ref::steal(host::call(host::checked, PyObject_GetAttr, deque, name));
  if (!limit || !PyLong_CheckExact(limit.get())) return PyErr_Clear(), -1;
  return PyLong_AsLongLong(limit.get());
}

}  // namespace msjit
