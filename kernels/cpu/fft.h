// Discrete Fourier transforms over some axes of a tensor, by pocketfft: the only place that sees
// it. Axes are normalised and distinct; a scale multiplies the result.
#pragma once

#include "kernels/core/op.h"

namespace msjit::fft {

struct Transform {
  const IntList& axes;
  bool forward;  // the exponent is negative
  double scale;
};
// Complex to complex, of one shape.
Status c2c(const Tensor& x, const Transform& t, const Tensor& out);
// Real to the first half (n / 2 + 1) of the last of the axes; the other axes are transformed after.
Status r2c(const Tensor& x, const Transform& t, const Tensor& out);
// Such a half to the real numbers of `out`: all axes but the last first.
Status c2r(const Tensor& x, const Transform& t, const Tensor& out);

// What the infer rules share. Attribute 0 holds the axes; they must name axes of sizes above 0.
Result<IntList> checked_axes(InferCtx& ctx);
// The axes of a call that has passed infer, in the order given.
IntList axes_of(const Attrs& attrs, int rank);

}  // namespace msjit::fft
