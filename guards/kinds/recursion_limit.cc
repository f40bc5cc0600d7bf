// RECURSION_LIMIT: the interpreter's limit of recursion, which the program has asked for.
#include "guards/guard_set.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject*, PyObject* const*) {
  return Py_GetRecursionLimit() == step.number;
}

std::string describe(const GuardStep& step, const std::string&, const std::string&) {
  return "sys.getrecursionlimit() == " + std::to_string(step.number);
}

}  // namespace

const GuardKind guard::recursion_limit = {
    .name = "recursion_limit", .check = check, .describe = describe};

}  // namespace msjit
