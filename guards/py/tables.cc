#include "guards/py/tables.h"

#include "guards/py/library_type.h"

namespace msjit {

PyTypeObject* default_dict_type() {
  static constinit LibraryType type("_collections", "defaultdict");
  return type.get();
}

Ref table_keys(PyObject* table) {
  Ref keys = Ref::steal(PySequence_Tuple(table));
  if (!keys) PyErr_Clear();
  return keys;
}

bool fill_table(PyObject* table, PyObject* const* items, Py_ssize_t count) {
  if (PyDict_CheckExact(table)) {
    PyDict_Clear(table);
  } else if (!Ref::steal(PyObject_CallMethod(table, "clear", nullptr))) {
    return false;
  }
  for (Py_ssize_t i = 0; i + 1 < count; i += 2)
    if (PyObject_SetItem(table, items[i], items[i + 1]) < 0) return false;
  return true;
}

}  // namespace msjit
