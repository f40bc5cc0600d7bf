// The matrix product as ops see it: NumPy's rules for vectors and batches on tensors of any layout.
// Picks oneDNN, the project's own loops or a detour through float32, and copies an operand only
// when its strides leave no other way.
#pragma once

#include "kernels/core/op.h"
#include "kernels/cpu/onednn.h"

namespace msjit::product {

// Shape of a @ b; an axis pair is swapped first where asked (a vector has none and is left alone).
Result<Shape> infer_shape(const InferCtx& ctx, const Shape& a, bool transpose_a, const Shape& b,
                          bool transpose_b);
// Same dtype on both sides, and one that has a product.
Status check_dtypes(const InferCtx& ctx, const Meta& a, const Meta& b);

struct Operands {
  const Tensor& a;
  const Tensor& b;
  bool transpose_a = false, transpose_b = false;
  const Tensor* bias = nullptr;  // along the last axis, of the same dtype
  bool is_weight = false;        // `b` is used again and again: a packed copy of it may be kept
  bool relu = false;             // max(out, 0); `a` is not transposed and `b` has rank 2
};
// Writes the contiguous `out`, whose shape infer_shape gave.
Status run(const Operands& operands, const Tensor& out);

}  // namespace msjit::product
