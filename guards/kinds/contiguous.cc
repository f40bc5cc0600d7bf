// CONTIGUOUS: the elements of a tensor lie in row-major order without gaps.
#include <fmt/core.h>

#include "guards/guard_set.h"
#include "guards/py/objects.h"

namespace msjit {
namespace {

bool check(const GuardStep&, PyObject* object, PyObject* const*) {
  return tensor_of(object).contiguous();
}

std::string describe(const GuardStep&, const std::string& source, const std::string&) {
  return fmt::format("{}.is_contiguous()", source);
}

}  // namespace

const GuardKind guard::contiguous = {.name = "contiguous", .check = check, .describe = describe};

}  // namespace msjit
