// OPEN_FLOAT: an exact float, whatever its value.
#include <fmt/core.h>

#include "guards/guard_set.h"

namespace msjit {
namespace {

bool check(const GuardStep&, PyObject* object, PyObject* const*) {
  return PyFloat_CheckExact(object);
}

std::string describe(const GuardStep&, const std::string& source, const std::string&) {
  return fmt::format("type({}) is float", source);
}

}  // namespace

const GuardKind guard::open_float = {.name = "float", .check = check, .describe = describe};

}  // namespace msjit
