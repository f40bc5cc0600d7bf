#include "guards/py/cached_calls.h"

#include <cstring>

#include "guards/py/library_type.h"

namespace msjit {
namespace {

constexpr Py_ssize_t kMaxKeys = 4096;  // a larger cache is not searched

PyObject* pointer_at(PyObject* object, Py_ssize_t offset) {
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset);
}

// Where the function's struct holds the dict of results. Its layout differs between versions, but
// the collector is told of all it holds: a dict that is not the function's __dict__ is the one.
Py_ssize_t find_offset(PyObject* function) {
  struct Search {
    PyObject* names;
    PyObject* found = nullptr;
  };
  PyObject** const names = _PyObject_GetDictPtr(function);
  Search search{names ? *names : nullptr};
  const auto note = [](PyObject* held, void* data) {
    auto& search = *static_cast<Search*>(data);
    if (PyDict_CheckExact(held) && held != search.names) search.found = held;
    return 0;
  };
  Py_TYPE(function)->tp_traverse(function, note, &search);
  PyObject* const found = search.found;
  for (Py_ssize_t at = sizeof(PyObject); found && at < Py_TYPE(function)->tp_basicsize;
       at += sizeof(PyObject*))
    if (pointer_at(function, at) == found) return at;
  return -1;
}

PyObject* results_of(PyObject* function) {
  static const Py_ssize_t offset = find_offset(function);
  PyObject* const results = offset < 0 ? nullptr : pointer_at(function, offset);
  return results && PyDict_CheckExact(results) ? results : nullptr;
}

// A link of a bounded cache ends with the pointer to its result.
PyObject* result_in(PyObject* held) {
  PyTypeObject* const type = Py_TYPE(held);
  if (std::strcmp(type->tp_name, "functools._lru_list_elem") != 0) return held;
  return pointer_at(held, type->tp_basicsize - static_cast<Py_ssize_t>(sizeof(PyObject*)));
}

}  // namespace

bool is_cached_function(PyObject* object) {
  static constinit LibraryType type("functools", "_lru_cache_wrapper");
  return Py_TYPE(object) == type.get();
}

bool find_cached(PyObject* function, const std::function<bool(PyObject* key)>& fits, PyObject** key,
                 Py_ssize_t* place) {
  PyObject* const results = results_of(function);
  if (!results || PyDict_GET_SIZE(results) > kMaxKeys) return false;
  Py_ssize_t at = *place = 0;
  while (PyDict_Next(results, &at, key, nullptr)) {
    if (fits(*key)) return true;
    *place = at;
  }
  return false;
}

PyObject* cached_result(PyObject* function, PyObject* key, Py_ssize_t hint) {
  PyObject* const results = results_of(function);
  PyObject *found = nullptr, *held = nullptr;
  if (!results) return nullptr;
  if (PyDict_Next(results, &hint, &found, &held) && found == key) return result_in(held);
  if (PyDict_GET_SIZE(results) > kMaxKeys) return nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(results, &at, &found, &held);)
    if (found == key) return result_in(held);
  return nullptr;
}

}  // namespace msjit
