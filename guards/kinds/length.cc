// LENGTH: the number of items of a list, tuple or dict of exact type (a TYPE guard stands before
// it).
#include <fmt/core.h>

#include "guards/guard_set.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  if (PyDict_Check(object)) return PyDict_GET_SIZE(object) == step.number;
  return Py_SIZE(object) == step.number;
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  return fmt::format("len({}) == {}", source, step.number);
}

}  // namespace

const GuardKind guard_length = {"length", check, describe};

}  // namespace msjit
