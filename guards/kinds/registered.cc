// REGISTERED: no class has been registered with an abstract base class since the capture. `number`:
// the count of registrations then.
#include "guards/guard_set.h"
#include "guards/py/abstract.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject*, PyObject* const*) {
  return registrations() == step.number;
}

std::string describe(const GuardStep& step, const std::string&, const std::string&) {
  return "abc.get_cache_token() == " + std::to_string(step.number);
}

}  // namespace

const GuardKind guard::registered = {.name = "registered", .check = check, .describe = describe};

}  // namespace msjit
