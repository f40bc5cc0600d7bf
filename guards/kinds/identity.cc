// IDENTITY: this very object. For functions, classes, modules, ops and singletons.
#include <fmt/core.h>

#include "guards/guard_set.h"

namespace msjit {
namespace {

std::string name_of(PyObject* object) {
  if (!object) return "an object that is gone";
  if (object == Py_None) return "None";
  if (object == Py_True) return "True";
  if (object == Py_False) return "False";
  if (PyFunction_Check(object))
    return PyUnicode_AsUTF8(reinterpret_cast<PyFunctionObject*>(object)->func_qualname);
  if (PyType_Check(object)) return reinterpret_cast<PyTypeObject*>(object)->tp_name;
  return fmt::format("<{} object>", Py_TYPE(object)->tp_name);
}

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  return object == step.object.address();
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  return fmt::format("{} is {}", source, name_of(step.object.get()));
}

bool watch(const GuardStep&, PyObject*, MemoBuilder&) { return true; }

}  // namespace

const GuardKind guard_identity = {"identity", check, describe, watch};

}  // namespace msjit
