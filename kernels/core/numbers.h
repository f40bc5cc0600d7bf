// Python numbers beside tensors.
#pragma once

#include "kernels/core/op.h"

namespace msjit {

// Whether a number first takes the dtype in which the operator reads its tensors, though 16-bit
// floats are computed in float32. Comparisons do: float16(0.1) == 0.1, as in NumPy and MindSpore.
inline bool rounds_numbers(const OpDef& op) { return op.dtype_rule == DTypeRule::kBoolResult; }

}  // namespace msjit
