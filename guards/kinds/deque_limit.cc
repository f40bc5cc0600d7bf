// DEQUE_LIMIT: the `maxlen` of a deque; None is -1. A TYPE guard precedes it.
#include <fmt/core.h>

#include "guards/guard_set.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  return limit_of_deque(object) == step.number;
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  return step.number < 0 ? fmt::format("{}.maxlen is None", source)
                         : fmt::format("{}.maxlen == {}", source, step.number);
}

}  // namespace

const GuardKind guard::deque_limit = {.name = "deque_limit", .check = check, .describe = describe};

}  // namespace msjit
