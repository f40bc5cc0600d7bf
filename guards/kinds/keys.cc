// KEYS: a dict, or an instance of a class derived from dict, has exactly the keys in the tuple
// `object`, in that order. The tuple holds them loosely (pin.h).
#include <fmt/core.h>

#include "guards/memo.h"
#include "guards/py/host_call.h"
#include "guards/py/tables.h"

namespace msjit {
namespace {

bool same_key(PyObject* key, PyObject* expected) {
  if (key == expected) return true;
  if (Py_TYPE(key) != Py_TYPE(expected)) return loosely_held(expected) == key;
  if (!PyUnicode_CheckExact(key) && !PyLong_CheckExact(key)) return false;
  return host::equal_values(key, expected);
}

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  PyObject* keys = step.object.address();
  if (!PyDict_Check(object) || PyDict_GET_SIZE(object) != PyTuple_GET_SIZE(keys)) return false;
  Py_ssize_t i = 0;
  if (PyODict_Check(object)) {  // an OrderedDict has its own order
    for (OrderedKey key(object); key; key.next(), ++i)
      if (i == PyTuple_GET_SIZE(keys) || !same_key(key.get(), PyTuple_GET_ITEM(keys, i)))
        return false;
    return i == PyTuple_GET_SIZE(keys);
  }
  PyObject *key, *value;
  for (Py_ssize_t position = 0; PyDict_Next(object, &position, &key, &value);)
    if (!same_key(key, PyTuple_GET_ITEM(keys, i++))) return false;
  return true;
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  constexpr Py_ssize_t kShown = 8;
  PyObject* keys = step.object.address();
  if (PyTuple_GET_SIZE(keys) > kShown)
    return fmt::format("len({0}) == {1} and same_keys({0})", source, PyTuple_GET_SIZE(keys));
  return fmt::format("tuple({}) == {}", source, host::text_of(keys));
}

bool watch(const GuardStep&, PyObject* object, MemoBuilder& memo) {
  return !PyODict_Check(object) && memo.dict_version(object);
}

}  // namespace

const GuardKind guard::keys = {
    .name = "keys", .check = check, .describe = describe, .watch = watch};

}  // namespace msjit
