// Which values gradients go through: floats, complex numbers, and integers and bools too, in their
// own dtype.
#pragma once

#include "kernels/core/op.h"

namespace msjit {

// Of the outputs of an op that has a gradient. A second integer output is positions (topk, sort);
// where infer says how many there are (split, unstack), all are alike.
inline bool carries_gradient(const OpDef& op, size_t output, DType dtype) {
  return is_inexact(dtype) || output == 0 || op.num_outputs == 0;
}

}  // namespace msjit
