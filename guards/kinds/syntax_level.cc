// SYNTAX_LEVEL: the context's level of PSJit, for captures that hold a PSJit function which names
// no level itself. `number`: 1 = STRICT.
#include "guards/guard_set.h"

namespace msjit {

bool g_strict_by_context = false;

namespace {

bool check(const GuardStep& step, PyObject*, PyObject* const*) {
  return (step.number != 0) == g_strict_by_context;
}

std::string describe(const GuardStep& step, const std::string&, const std::string&) {
  return step.number ? "the context names level STRICT" : "the context names level LAX";
}

}  // namespace

const GuardKind guard::syntax_level = {
    .name = "syntax_level", .check = check, .describe = describe};

}  // namespace msjit
