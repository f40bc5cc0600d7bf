#include "guards/py/host_call.h"

#include "guards/py/compat_layout.h"
#include "guards/py/convert.h"
#include "guards/py/objects.h"
#include "guards/py/tables.h"

namespace msjit::host {
namespace {

constexpr int kMaxDepth = 32;  // a container may hold itself

bool holds_values(PyObject* object, int depth);

// A class whose operators, text and hash are those of every class. Its metaclass is `type` or, as
// Tensor's is, written in C.
bool is_plain_class(PyObject* object) {
  const PyTypeObject* const metaclass = Py_TYPE(object);
  return metaclass == &PyType_Type ||
         (PyType_Check(object) && is_static(object) &&
          metaclass->tp_richcompare == PyType_Type.tp_richcompare &&
          metaclass->tp_hash == PyType_Type.tp_hash && metaclass->tp_repr == PyType_Type.tp_repr);
}

bool is_value_at(PyObject* object, int depth) {
  if (PyLong_CheckExact(object) || PyUnicode_CheckExact(object) || PyFloat_CheckExact(object) ||
      PyBool_Check(object) || object == Py_None || PyBytes_CheckExact(object) ||
      PyComplex_CheckExact(object) || object == Py_Ellipsis || object == Py_NotImplemented)
    return true;
  if (PyFunction_Check(object) || PyCFunction_Check(object) || is_plain_class(object) ||
      Py_TYPE(object) == &g_dtype_type || PyRange_Check(object) || is_numpy_scalar(object))
    return true;
  return depth < kMaxDepth && holds_values(object, depth + 1);
}

bool are_values(PyObject* const* items, Py_ssize_t count, int depth) {
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!is_value_at(items[i], depth)) return false;
  return true;
}

bool holds_values(PyObject* object, int depth) {
  if (PyTuple_CheckExact(object))
    return are_values(&PyTuple_GET_ITEM(object, 0), PyTuple_GET_SIZE(object), depth);
  if (PyList_CheckExact(object))
    return are_values(reinterpret_cast<PyListObject*>(object)->ob_item, PyList_GET_SIZE(object),
                      depth);
  if (PySlice_Check(object)) {
    const auto* slice = reinterpret_cast<PySliceObject*>(object);
    PyObject* const parts[] = {slice->start, slice->stop, slice->step};
    return are_values(parts, 3, depth);
  }
  if (PyAnySet_CheckExact(object)) {
    const auto* set = reinterpret_cast<const PySetObject*>(object);
    for (Py_ssize_t i = 0; i <= set->mask; ++i)  // -1: an item was taken out
      if (const setentry& place = set->table[i];
          place.key && place.hash != -1 && !is_value_at(place.key, depth))
        return false;
    return true;
  }
  if (!PyDict_CheckExact(object) && !PyODict_CheckExact(object) &&
      Py_TYPE(object) != default_dict_type())
    return false;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &value);)
    if (!is_value_at(key, depth) || !is_value_at(value, depth)) return false;
  return true;
}

// Some keys compare by code of the program, so only exact str keys are looked at.
PyObject* exact_name(PyObject* dict, PyObject* name) {
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);)
    if (PyUnicode_CheckExact(key) && PyUnicode_Compare(key, name) == 0) return value;
  return nullptr;
}

PyTypeObject* base_at(PyTypeObject* type, Py_ssize_t i) {
  return reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, i));
}

}  // namespace

bool is_value(PyObject* object) { return is_value_at(object, 0); }

void refuse(const char* reason) {
  PyErr_Format(PyExc_SystemError,
               "[host_call] operands of a call into CPython, got others, expected %s", reason);
}

bool equal_values(PyObject* a, PyObject* b) {
  if (a == b) return true;
  const int equal = call(values, PyObject_RichCompareBool, a, b, Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal == 1;
}

std::string text_of(PyObject* object) {
  if (!is_value(object)) return "?";
  const Ref text = Ref::steal(call(values, PyObject_Repr, object));
  const char* found = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (!found) PyErr_Clear();
  return found ? found : "?";
}

bool has_plain_names(PyTypeObject* type) {
  PyObject* const bases = type->tp_mro;
  for (Py_ssize_t i = 0; bases && i < PyTuple_GET_SIZE(bases); ++i) {
    PyTypeObject* const base = base_at(type, i);
    if ((base->tp_flags & Py_TPFLAGS_HEAPTYPE) && !compat::has_only_string_keys(base->tp_dict))
      return false;
  }
  return true;
}

PyObject* find_on_class(PyTypeObject* type, PyObject* name) {
  if (has_plain_names(type)) return call(checked, _PyType_Lookup, type, name);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    PyTypeObject* const base = base_at(type, i);
    const bool is_static = !(base->tp_flags & Py_TPFLAGS_HEAPTYPE);
    PyObject* const found =
        is_static ? call(checked, _PyType_Lookup, base, name) : exact_name(base->tp_dict, name);
    if (found) return found;
  }
  return nullptr;
}

PyObject* find_name(PyObject* dict, const char* name) {
  const Ref text = Ref::steal(PyUnicode_FromString(name));
  if (!text) return PyErr_Clear(), nullptr;
  if (!compat::has_only_string_keys(dict)) return exact_name(dict, text.get());
  return call(checked, _PyDict_GetItem_KnownHash, dict, text.get(),
              call(values, PyObject_Hash, text.get()));
}

}  // namespace msjit::host
