#include "guards/py/tables.h"

#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {

PyTypeObject* default_dict_type() {
  static constinit LibraryType type("_collections", "defaultdict");
  return type.get();
}

Ref table_keys(PyObject* table) {
  const Py_ssize_t count = PyDict_GET_SIZE(table);
  Ref keys = Ref::steal(PyTuple_New(count));
  if (!keys) return PyErr_Clear(), Ref();
  Py_ssize_t i = 0;
  const auto add = [&](PyObject* key) {
    if (i < count) PyTuple_SET_ITEM(keys.get(), i, Ref::share(key).release());
    ++i;
  };
  PyObject* key = nullptr;
  if (PyODict_Check(table))
    for (OrderedKey ordered(table); ordered; ordered.next()) add(ordered.get());
  else
    for (Py_ssize_t at = 0; PyDict_Next(table, &at, &key, nullptr);) add(key);
  // A method of dict can put a key into an OrderedDict that its list of keys does not have.
  return i == count ? keys : Ref();
}

bool fill_table(PyObject* table, PyObject* const* items, Py_ssize_t count) {
  const bool ordered = PyODict_Check(table);
  if (!ordered)
    PyDict_Clear(table);
  else if (!Ref::steal(host::call(host::program, PyObject_CallMethod,
                                  reinterpret_cast<PyObject*>(&PyODict_Type), "clear", "O", table)))
    return false;
  const auto put = ordered ? host::through(PyODict_SetItem) : host::through(PyDict_SetItem);
  for (Py_ssize_t i = 0; i + 1 < count; i += 2)
    if (host::call(host::program, put, table, items[i], items[i + 1]) < 0) return false;
  return true;
}

}  // namespace msjit
