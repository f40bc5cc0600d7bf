// Tensors filled with one value, and the infer rules of the ops that make them.
#pragma once

#include "kernels/core/op.h"

namespace msjit {

// Writes a number to every element of a contiguous tensor.
Status fill(const Tensor& out, const AttrValue& value);
// Attributes: shape, dtype.
Status filled_infer(InferCtx& ctx);
// Attributes: shape, value, dtype or none.
Status full_infer(InferCtx& ctx);
// Checks a shape attribute: not negative, not too long.
Result<Shape> shape_attr(InferCtx& ctx, const AttrValue& value);

}  // namespace msjit
