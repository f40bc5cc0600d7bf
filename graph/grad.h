// A gradient on its way back through a graph. One that is missing is not one of zeros: what lies
// behind it is left alone, whereas zeros times an infinite derivative are NaN. Eager code tells the
// two apart as it runs; so do graphs, which know of some gradients only when they run.
#pragma once

#include "kernels/core/op.h"

namespace msjit {

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

// The gradient where it arrives, zeros elsewhere.
Val masked(const Grad& grad);
// What arrives by either way.
Grad add(const Grad& a, const Grad& b);
// Whether one of them arrives, both do; invalid stands for always.
Val either_arrives(const Val& a, const Val& b);
Val both_arrive(const Val& a, const Val& b);

}  // namespace msjit
