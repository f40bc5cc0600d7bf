// CLASS_VERSION: the version tag of a class object that another guard has pinned.
#include <fmt/core.h>

#include "guards/memo.h"
#include "guards/py/compat.h"

namespace msjit {
namespace {

PyTypeObject* type_at(PyObject* object) { return reinterpret_cast<PyTypeObject*>(object); }

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  return compat::type_version(type_at(object)) == step.version;
}

std::string describe(const GuardStep&, const std::string& source, const std::string&) {
  return fmt::format("unchanged({})", source);
}

bool watch(const GuardStep&, PyObject* object, MemoBuilder& memo) {
  memo.class_version(type_at(object));
  return true;
}

}  // namespace

const GuardKind guard::class_version = {
    .name = "class", .check = check, .describe = describe, .watch = watch};

}  // namespace msjit
