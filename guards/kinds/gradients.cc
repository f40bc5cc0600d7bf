// GRADIENTS: whether this thread is inside a gradient transform that records now (number 1) or not
// (0). For captures that hold a step with a gradient of its own, or end before one.
#include "guards/guard_set.h"
#include "kernels/eager/tape.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject*, PyObject* const*) {
  return gradients_asked() == (step.number != 0);
}

std::string describe(const GuardStep& step, const std::string&, const std::string&) {
  return step.number ? "gradients are asked for" : "no gradients are asked for";
}

}  // namespace

const GuardKind guard_gradients = {"gradients", check, describe};

}  // namespace msjit
