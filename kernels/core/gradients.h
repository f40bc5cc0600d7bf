// Which values gradients go through: floats and complex numbers, but also integers and bools, as in
// MindSpore. A gradient has the dtype of its value.
#pragma once

#include "kernels/core/op.h"

namespace msjit {

// Whether an output of an op with a gradient rule carries a gradient. An integer output other than
// the first one holds positions (topk, sort) and carries none. Ops whose infer rule decides the
// number of outputs (split, unstack) have outputs that are all alike.
inline bool carries_gradient(const OpDef& op, size_t output, DType dtype) {
  return is_inexact(dtype) || output == 0 || op.num_outputs == 0;
}

}  // namespace msjit
