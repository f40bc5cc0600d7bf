// FUNCTION: `object` is (code, defaults, kwdefaults); a function reached by identity may have any
// of them replaced.
#include <fmt/core.h>

#include "guards/guard_set.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  if (!PyFunction_Check(object)) return false;
  auto* function = reinterpret_cast<PyFunctionObject*>(object);
  PyObject* parts = step.object.get();
  auto same = [](PyObject* now, PyObject* then) { return (now ? now : Py_None) == then; };
  return function->func_code == PyTuple_GET_ITEM(parts, 0) &&
         same(function->func_defaults, PyTuple_GET_ITEM(parts, 1)) &&
         same(function->func_kwdefaults, PyTuple_GET_ITEM(parts, 2));
}

std::string describe(const GuardStep&, const std::string& source, const std::string&) {
  return fmt::format("{} has its code and defaults", source);
}

}  // namespace

const GuardKind guard_function = {"function", check, describe};

}  // namespace msjit
