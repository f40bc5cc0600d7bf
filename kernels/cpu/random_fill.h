// Filling a tensor with random numbers: shared by the distributions, which differ in how a Philox
// block becomes values.
#pragma once

#include "kernels/core/op.h"
#include "kernels/core/random.h"

namespace msjit {

// Inputs: a ticket. Attributes: shape, two parameters, dtype (a float).
Status random_infer(InferCtx& ctx);

// Turns a block into 4 values, or into 2 of 53 bits when `wide`.
using RandomMake = void (*)(const PhiloxBlock& bits, bool wide, double* values);
// out[i] = attribute 1 + scale * value i, with scale = attribute 2, or attribute 2 - attribute 1
// for a range.
Status random_fill(KernelCtx& ctx, RandomMake make, bool range);

}  // namespace msjit
