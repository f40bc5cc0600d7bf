// float32 products of a vector and a matrix. Reading the matrix once takes the time, so nothing is
// packed.
#pragma once

#include "kernels/cpu/gemm.h"

namespace msjit::gemm {

// out[j] = sum over k of x[k] matrix(k, j), plus bias[j * bias_step] where there is a bias. x is
// contiguous, and one stride of the matrix is 1.
void multiply_vector(int64_t k, int64_t n, const float* x, const Matrix& matrix, const float* bias,
                     int64_t bias_step, float* out);

}  // namespace msjit::gemm
