// Ordering along one axis, shared by sort and topk. Ties keep their order; NaN counts as the
// greatest value.
#pragma once

#include "kernels/core/tensor.h"

namespace msjit::sorting {

// The first `values.dim(axis)` elements in order, and their positions (int32).
Status order(const Tensor& x, int axis, bool descending, const Tensor& values,
             const Tensor& positions);

}  // namespace msjit::sorting
