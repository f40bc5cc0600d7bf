// The matrix product as ops see it: NumPy's rules for vectors and batches, on tensors of any
// layout. Chooses between oneDNN, msjit's loops and a conversion to float32. Copies an operand
// only when its strides require it.
#pragma once

#include "kernels/core/op.h"
#include "kernels/cpu/onednn.h"

namespace msjit::product {

// The shape of a @ b, after swapping the last two axes of an operand where asked (a vector stays as
// it is).
Result<Shape> infer_shape(const InferCtx& ctx, const Shape& a, bool transpose_a, const Shape& b,
                          bool transpose_b);
// Both dtypes must be equal, and have a product.
Status check_dtypes(const InferCtx& ctx, const Meta& a, const Meta& b);

struct Operands {
  const Tensor& a;
  const Tensor& b;
  bool transpose_a = false, transpose_b = false;
  const Tensor* bias = nullptr;  // along the last axis, of the same dtype
  bool is_weight = false;        // `b` is used repeatedly: a packed copy of it may be kept
  bool relu = false;             // max(out, 0); `a` is not transposed and `b` has rank 2
};
// Writes the contiguous `out`, whose shape infer_shape gave.
Status run(const Operands& operands, const Tensor& out);

}  // namespace msjit::product
