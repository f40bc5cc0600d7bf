// LENGTH: the number of items of a list, tuple, dict or deque. A TYPE guard precedes it.
#include <fmt/core.h>

#include "guards/memo.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  if (PyDict_Check(object)) return PyDict_GET_SIZE(object) == step.number;
  return Py_SIZE(object) == step.number;
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  return fmt::format("len({}) == {}", source, step.number);
}

bool watch(const GuardStep&, PyObject* object, MemoBuilder& memo) {
  if (PyDict_Check(object)) return memo.dict_version(object);
  if (!PyList_Check(object) && !PyTuple_Check(object)) return false;
  memo.word(&reinterpret_cast<PyVarObject*>(object)->ob_size);
  return true;
}

bool changes(const GuardStep&, PyObject* object, const std::string& source,
             std::vector<ChangedSize>* out) {
  if (PyDict_Check(object) || PyTuple_Check(object)) return false;
  out->push_back({source, kLengthDim, fmt::format("of length {}", Py_SIZE(object))});
  return true;
}

}  // namespace

const GuardKind guard::length = {
    .name = "length", .check = check, .describe = describe, .watch = watch, .changes = changes};

}  // namespace msjit
