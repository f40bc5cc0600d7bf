// The metaclass of Tensor. It lets a program set attributes on the class Tensor as on a class
// written in Python; CPython refuses that for static types.
#include "guards/py/tensor_class.h"

#include <algorithm>
#include <utility>

#include "guards/py/host_call.h"
#include "guards/py/text.h"
#include "pylib/ext/tensor.h"

namespace msjit {

PyTypeObject g_tensor_meta = {PyVarObject_HEAD_INIT(nullptr, 0) "msjit.TensorType"};
void (*g_tensor_class_changed)() = nullptr;

namespace {

// CPython refuses to change a type that has the flag IMMUTABLETYPE (from 3.10 on), or that lacks
// the flag HEAPTYPE (before).
#ifdef Py_TPFLAGS_IMMUTABLETYPE
constexpr unsigned long kCleared = Py_TPFLAGS_IMMUTABLETYPE, kSet = 0;
#else
constexpr unsigned long kCleared = 0, kSet = Py_TPFLAGS_HEAPTYPE;
#endif

// Names whose attribute of Tensor differs from the original; `originals` holds the original of
// each, null if there was none.
struct Changes {
  std::vector<std::string> names;
  std::vector<Ref> originals;
};
Changes& changes() {
  static auto* const all = new Changes;
  return *all;
}

size_t find(std::string_view name) {
  const auto& names = changes().names;
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

void note_change(const char* name, Ref old, PyObject* value) {
  if (old.get() == value) return;
  auto& [names, originals] = changes();
  const size_t at = find(name);
  if (at == names.size()) {
    names.emplace_back(name);
    originals.push_back(std::move(old));
  } else if (originals[at].get() == value) {  // as it was
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(at));
    originals.erase(originals.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

// Calls type.__setattr__ on Tensor with the flags changed meanwhile. It also updates the slots of
// special methods.
int set_past_flags(PyObject* name, PyObject* value) {
  PyTypeObject& type = g_tensor_type;
  const unsigned long before = std::exchange(type.tp_flags, (type.tp_flags & ~kCleared) | kSet);
  const int result = host::call(host::program, PyType_Type.tp_setattro,
                                reinterpret_cast<PyObject*>(&type), name, value);
  type.tp_flags = (type.tp_flags & ~(kCleared | kSet)) | (before & (kCleared | kSet));
  return result;
}

int class_setattr(PyObject* cls, PyObject* name, PyObject* value) {
  if (cls != reinterpret_cast<PyObject*>(&g_tensor_type) || !PyUnicode_CheckExact(name))
    return host::call(host::program, PyType_Type.tp_setattro, cls, name, value);
  const char* text = utf8_text(name);
  if (!text) return -1;
  // Keeps the old value until the flags are restored, as its finalizer must not meet changed flags.
  Ref old = Ref::share(host::call(host::checked, PyDict_GetItem, g_tensor_type.tp_dict, name));
  const size_t at = find(text);
  if (!value && old && (at == changes().names.size() || changes().originals[at])) {
    PyErr_Format(PyExc_TypeError, "[tensor] attribute %s of the class cannot be deleted", text);
    return -1;
  }
  if (set_past_flags(name, value) < 0) return -1;
  note_change(text, old, value);
  if (g_tensor_class_changed) g_tensor_class_changed();
  return 0;
}

// CPython 3.7 believes that classes of a metaclass override mro(), and gives them no version tags.
// Then lookups on them can be neither cached nor captured. Later versions set the flag themselves
// or do not read it.
void give_versions(PyTypeObject* type) {
  if (Py_TYPE(type) == &g_tensor_meta) type->tp_flags |= Py_TPFLAGS_HAVE_VERSION_TAG;
}

int class_init(PyObject* cls, PyObject* args, PyObject* keywords) {
  give_versions(reinterpret_cast<PyTypeObject*>(cls));
  return host::call(host::program, PyType_Type.tp_init, cls, args, keywords);
}

}  // namespace

const std::vector<std::string>& names_set_on_tensor() { return changes().names; }
bool is_set_on_tensor(std::string_view name) { return find(name) != changes().names.size(); }

bool ready_tensor_class() {
  if (PyType_Ready(&g_tensor_type) < 0) return false;
  give_versions(&g_tensor_type);
  return true;
}

bool ready_tensor_meta() {
  g_tensor_meta.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  g_tensor_meta.tp_base = &PyType_Type;
  g_tensor_meta.tp_setattro = class_setattr;
  g_tensor_meta.tp_init = class_init;
  g_tensor_meta.tp_doc = "The class of Tensor and of the classes derived from it.";
  return PyType_Ready(&g_tensor_meta) == 0;
}

}  // namespace msjit
