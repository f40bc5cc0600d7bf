// Matrix products for dtypes that oneDNN does not support (float64 and integers), and for products
// too small to be worth a library call. Any strides, also negative and zero; integers wrap around.
#pragma once

#include "kernels/core/tensor.h"

namespace msjit::gemm {

struct Matrix {
  const void* data;
  int64_t row_stride, col_stride;  // in elements
};

// out (m x n, row-major with `out_stride` between rows) = a (m x k) times b (k x n).
void multiply(DType dtype, int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b,
              void* out, int64_t out_stride);

// float32 products of a few elements, without packing or threads.
void multiply_small(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b, float* out);
inline constexpr int64_t kSmallProduct = 1024;  // multiply-adds

}  // namespace msjit::gemm
