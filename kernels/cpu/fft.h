// Discrete Fourier transforms over some axes of a tensor. This is the only place that uses
// pocketfft. Axes are normalised and distinct; a scale multiplies the result.
#pragma once

#include "kernels/core/op.h"

namespace msjit::fft {

struct Transform {
  const IntList& axes;
  bool forward;  // the exponent is negative
  double scale;
};
// Complex to complex, of equal shapes.
Status c2c(const Tensor& x, const Transform& t, const Tensor& out);
// Real to complex: gives the first half (n / 2 + 1) of the last axis; the other axes are
// transformed afterwards.
Status r2c(const Tensor& x, const Transform& t, const Tensor& out);
// Such a half back to the real numbers of `out`: transforms the last axis last.
Status c2r(const Tensor& x, const Transform& t, const Tensor& out);

// The check that the infer rules share. Attribute 0 holds the axes; each must have a size above 0.
Result<IntList> checked_axes(InferCtx& ctx);
// The axes of a call that has passed infer, in the order given.
IntList axes_of(const Attrs& attrs, int rank);

}  // namespace msjit::fft
