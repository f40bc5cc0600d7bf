// Grad: the gradient of one value while a backward pass walks through a graph. A gradient that does
// not arrive (Arrival::kNever) is not a gradient of zeros. Zeros times an infinite derivative are
// NaN (sqrt at 0), whereas rules do not run at all for a missing gradient. Eager code knows as it
// runs which gradients are missing. A graph sometimes cannot know before it runs, for example when
// only one arm of an If reads a value. It then computes a bool beside the gradient (Grad::arrives).
#pragma once

#include "kernels/core/op.h"

namespace msjit {

class GraphSink;

enum class Arrival : uint8_t { kNever, kSometimes, kAlways };

struct Grad {
  Val value;    // invalid: never arrives
  Val arrives;  // a bool scalar; invalid: always. Where it is false, `value` may be anything.
  explicit operator bool() const { return static_cast<bool>(value); }
  Arrival arrival() const {
    if (!value) return Arrival::kNever;
    return arrives ? Arrival::kSometimes : Arrival::kAlways;
  }
};

// The gradient if it arrives, otherwise zeros.
Val masked(const Grad& grad);
// The sum of two gradients of one value, either of which may be missing.
Grad add(const Grad& a, const Grad& b);
// Whether a gradient arrives, as a bool value of the graph.
Val arrives_in(GraphSink& sink, const Grad& grad);
// The bool that tells whether either of two gradients arrives, or both do. An invalid Val stands
// for "always".
Val either_arrives(const Val& a, const Val& b);
Val both_arrive(const Val& a, const Val& b);

}  // namespace msjit
