// KEYS: a dict has exactly the keys of the tuple `object`, in that order.
#include <fmt/core.h>

#include "guards/memo.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  PyObject* keys = step.object.address();
  if (!PyDict_CheckExact(object) || PyDict_GET_SIZE(object) != PyTuple_GET_SIZE(keys)) return false;
  Py_ssize_t position = 0, i = 0;
  PyObject *key, *value;
  while (PyDict_Next(object, &position, &key, &value)) {
    PyObject* expected = PyTuple_GET_ITEM(keys, i++);
    if (key == expected) continue;
    if (Py_TYPE(key) != Py_TYPE(expected)) return false;
    if (!PyUnicode_CheckExact(key) && !PyLong_CheckExact(key)) return false;
    if (PyObject_RichCompareBool(key, expected, Py_EQ) != 1) return false;
  }
  return true;
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  return fmt::format("list({}) has its {} keys in order", source,
                     PyTuple_GET_SIZE(step.object.address()));
}

bool watch(const GuardStep&, PyObject* object, MemoBuilder& memo) {
  return memo.dict_version(object);
}

}  // namespace

const GuardKind guard_keys = {"keys", check, describe, watch};

}  // namespace msjit
