// What batch_norm and batch_norm_train share. Statistics are float64 for a float64 x and float32
// otherwise.
#pragma once

#include "kernels/core/words.h"

namespace msjit::batch_norm {

inline DType stat_dtype(DType x) { return x == DType::kFloat64 ? x : DType::kFloat32; }

// A float x of rank >= 2, and float parameters with one element per channel.
Status check_inputs(const InferCtx& ctx);

struct Problem {
  const Tensor &x, &scale, &bias;
  const Tensor &mean, &variance;  // contiguous, of stat_dtype
  double epsilon;
  bool training;  // mean and variance are written; else read
};
Status run(const Problem& p, const Tensor& y);
// `in`: x, scale, mean, variance and dy; `out`: dx, dscale and dshift. All are contiguous and of
// stat_dtype.
Status gradient(const Tensor (&in)[5], const Tensor (&out)[3], double epsilon);

// Per-channel values in a shape that broadcasts against a tensor of `rank`.
Val over_channels(const Val& v, int rank);
// All axes except the channel axis.
IntList axes_of_channel(int rank);

}  // namespace msjit::batch_norm
