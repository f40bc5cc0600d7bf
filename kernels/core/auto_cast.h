// Automatic mixed precision: how an operator is called inside a scope of it. Its float inputs are
// cast to the scope's dtype, to float32, or to the widest dtype among them. The lists in
// auto_cast.cc say which operator gets which. The casts are calls of ops in the sink of the inputs,
// so gradients reach the originals.
#pragma once

#include "kernels/core/op.h"

namespace msjit {

struct AutoCastCall {
  Vals inputs;
  Val bias;  // left out of the call, and added to its first result; empty for most
};
AutoCastCall auto_cast(const OpDef& op, std::span<const Val> inputs, DType dtype);
// Adds the bias in its own dtype to a product or convolution that was computed without it.
Val add_bias(const OpDef& op, const Val& product, const Val& bias);

}  // namespace msjit
