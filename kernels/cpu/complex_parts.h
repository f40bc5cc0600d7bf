// The parts of complex tensors, as views.
#pragma once

#include "kernels/core/op.h"

namespace msjit {

// The real (0) or imaginary (1) parts of a complex tensor of any layout: a view of real numbers.
Tensor part_of(const Tensor& t, int part);
// Infer rule of real() and imag(): the real dtype, in the shape of input 0.
Status part_infer(InferCtx& ctx);

}  // namespace msjit
