// TYPE: the exact class `object` and its version tag, so that methods and class attributes found on
// it still hold. `version` 0 compares the class alone; builtin types use it, as their attributes
// cannot change.
#include <fmt/core.h>

#include "guards/memo.h"
#include "guards/py/compat.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  PyTypeObject* type = Py_TYPE(object);
  if (reinterpret_cast<PyObject*>(type) != step.object.address()) return false;
  if (step.version == 0) return true;
  return compat::type_version(type) == step.version;
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  PyObject* type = step.object.get();
  const char* name = type ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "gone";
  return step.version ? fmt::format("type({}) is {} and unchanged({})", source, name, name)
                      : fmt::format("type({}) is {}", source, name);
}

bool watch(const GuardStep& step, PyObject* object, MemoBuilder& memo) {
  memo.type_of(object);
  if (step.version) memo.class_version(Py_TYPE(object));
  return true;
}

}  // namespace

const GuardKind guard::type = {
    .name = "type", .check = check, .describe = describe, .watch = watch};

}  // namespace msjit
