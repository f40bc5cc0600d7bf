// GRADIENTS: the gradient scopes that this thread is in, by `number`.
// - 0, 1: it is not, or is, inside a transform that records now. For captures that hold a step with
//   a gradient of its own (Cell.bprop), or that end before one.
// - 2, 3: it is, or is not, inside any scope. 3 is for captures that hold a whole transform, 2 for
//   those that end before one.
#include "guards/guard_set.h"
#include "kernels/eager/tape.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject*, PyObject* const*) {
  const bool expected = (step.number & 1) != 0;
  if (step.number < 2) return gradients_asked() == expected;
  return (grad_level() == 0 && grad_recording()) == expected;
}

std::string describe(const GuardStep& step, const std::string&, const std::string&) {
  constexpr const char* kTexts[] = {"no gradients are asked for", "gradients are asked for",
                                    "inside a gradient transform or no_grad",
                                    "outside gradient transforms and no_grad"};
  return kTexts[step.number];
}

}  // namespace

const GuardKind guard::gradients = {.name = "gradients", .check = check, .describe = describe};

}  // namespace msjit
