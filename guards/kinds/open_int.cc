// OPEN_INT: an exact int whose value is left open, within the range of sizes.
#include <fmt/core.h>

#include "guards/guard_set.h"
#include "guards/open_sizes.h"

namespace msjit {
namespace {

bool check(const GuardStep&, PyObject* object, PyObject* const*) {
  int64_t value = 0;
  return small_int(object, &value);
}

std::string describe(const GuardStep&, const std::string& source, const std::string&) {
  return fmt::format("type({0}) is int and abs({0}) <= {1}", source, kLargestOpenInt);
}

}  // namespace

const GuardKind guard::open_int = {.name = "int", .check = check, .describe = describe};

}  // namespace msjit
