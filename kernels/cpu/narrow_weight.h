// Weights kept as integers of 8 or 4 bits and widened as they are read ("weight-only
// quantization"). Element (n, k) stands for (q - zero) * scale. There is one scale and zero per
// row, or per group of neighbours in a row.
#pragma once

#include "kernels/core/op.h"

namespace msjit::narrow {

struct Weight {
  const uint8_t* data;  // 8 bits: int8. 4 bits: two numbers per byte, the lower half first
  int bits;
  int64_t rows, cols, groups;
  const float* scale;  // (rows, groups)
  const float* zero;   // (rows, groups), or null
  int64_t line_bytes() const { return bits == 8 ? cols : (cols + 1) / 2; }
  int64_t group_size() const { return cols / groups; }
};

// The operands of an operator in plain layouts; the tensors keep the memory alive.
struct Operands {
  Tensor weight, scale, zero;
  Weight view(int bits, int64_t cols) const;
};
Result<Operands> operands_of(const Tensor& weight, const Tensor& scale, const Tensor& zero);
// Checks weight, scale and zero, which are the inputs from `first` on, for rows of `cols` numbers.
Status check(InferCtx& ctx, int first, int64_t bits, Dim cols);

// Rows begin to end as float32.
void widen(const Weight& w, int64_t begin, int64_t end, float* out);
// out (m, rows) = x (m, cols) times the transpose of the weight, plus bias (rows) or null.
Status multiply(const Weight& w, int64_t m, const float* x, const float* bias, float* out);
inline constexpr int64_t kFewRows = 12;  // of x; above, widen() and a library's product are faster

}  // namespace msjit::narrow
