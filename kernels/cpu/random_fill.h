// Fills a tensor with random numbers. The distributions share this and differ in how a Philox block
// becomes values.
#pragma once

#include "kernels/core/op.h"
#include "kernels/core/philox.h"

namespace msjit {

// Inputs: a ticket. Attributes: shape, two parameters, dtype (a float).
Status random_infer(InferCtx& ctx);

// How random bits become values.
struct RandomMaker {
  static constexpr int kLanes = 32;  // blocks at a time
  // 4 values per block, for float32 and shorter types.
  void (*narrow)(const PhiloxLanes<kLanes>& bits, float (*values)[kLanes]);
  // 2 values of 53 bits, for float64.
  void (*wide)(const PhiloxBlock& bits, double* values);
};
// out[i] = attribute 1 + scale * value i. scale is attribute 2, or attribute 2 - attribute 1 when
// `range`.
Status random_fill(KernelCtx& ctx, const RandomMaker& maker, bool range);

}  // namespace msjit
