// IDENTITY: this very object. For functions, classes, modules, ops, singletons and pinned
// instances.
#include <fmt/core.h>

#include "guards/guard_set.h"
#include "guards/py/compat.h"
#include "guards/py/objects.h"
#include "guards/py/text.h"

namespace msjit {
namespace {

std::string text_of(PyObject* name) {
  const char* text = utf8_text(name);
  if (!text) PyErr_Clear();
  return fmt::format("'{}'", text ? text : "?");
}

std::string name_of(PyObject* object) {
  if (!object) return "gone";
  if (object == Py_None) return "None";
  if (object == Py_True) return "True";
  if (object == Py_False) return "False";
  if (object == Py_Ellipsis) return "Ellipsis";
  if (PyType_Check(object)) return reinterpret_cast<PyTypeObject*>(object)->tp_name;
  if (PyFunction_Check(object))
    return fmt::format("function({})", text_of(compat::function(object)->func_qualname));
  if (PyModule_Check(object)) {
    const char* name = PyModule_GetName(object);
    if (!name) PyErr_Clear();
    return fmt::format("module('{}')", name ? name : "?");
  }
  if (PyCFunction_Check(object))
    return fmt::format("builtin('{}')",
                       reinterpret_cast<PyCFunctionObject*>(object)->m_ml->ml_name);
  if (is_op(object)) return fmt::format("op('{}')", op_of(object).name);
  return fmt::format("{}()", Py_TYPE(object)->tp_name);
}

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  return object == step.object.address();
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  return fmt::format("{} is {}", source, name_of(step.object.get()));
}

bool watch(const GuardStep&, PyObject*, MemoBuilder&) { return true; }

}  // namespace

const GuardKind guard::identity = {
    .name = "identity", .check = check, .describe = describe, .watch = watch};

}  // namespace msjit
