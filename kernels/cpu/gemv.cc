#include "kernels/cpu/gemv.h"

#include <algorithm>

#include "kernels/cpu/parallel.h"

namespace msjit::gemm {
namespace {

constexpr int kLanes = 8;
typedef float Lanes __attribute__((vector_size(32)));
typedef float LooseLanes __attribute__((vector_size(32), aligned(4), may_alias));

inline Lanes load(const float* p) { return *reinterpret_cast<const LooseLanes*>(p); }
inline void store(float* p, Lanes value) { *reinterpret_cast<LooseLanes*>(p) = value; }
inline float sum(Lanes v) {
  float halves[4];
  for (int i = 0; i < 4; ++i) halves[i] = v[i] + v[i + 4];
  return (halves[0] + halves[2]) + (halves[1] + halves[3]);
}

// Dot products of x with kRows lines, `stride` apart. Two sums per line keep the units busy.
template <int kRows>
void dot_lines(int64_t k, const float* x, const float* lines, int64_t stride, float* out) {
  Lanes even[kRows] = {}, odd[kRows] = {};
  int64_t i = 0;
  for (; i + 2 * kLanes <= k; i += 2 * kLanes) {
    const Lanes a = load(x + i), b = load(x + i + kLanes);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      even[r] += a * load(lines + r * stride + i);
      odd[r] += b * load(lines + r * stride + i + kLanes);
    }
  }
  for (; i + kLanes <= k; i += kLanes)
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) even[r] += load(x + i) * load(lines + r * stride + i);
  for (int r = 0; r < kRows; ++r) {
    float total = sum(even[r] + odd[r]);
    for (int64_t rest = i; rest < k; ++rest)
      total = __builtin_fmaf(x[rest], lines[r * stride + rest], total);
    out[r] = total;
  }
}

// Columns of the matrix are contiguous.
void multiply_columns(int64_t k, int64_t begin, int64_t end, const float* x, const Matrix& matrix,
                      float* out) {
  constexpr int kRows = 4;
  const float* lines = static_cast<const float*>(matrix.data) + begin * matrix.col_stride;
  int64_t j = begin;
  for (; j + kRows <= end; j += kRows, lines += kRows * matrix.col_stride)
    dot_lines<kRows>(k, x, lines, matrix.col_stride, out + j);
  for (; j < end; ++j, lines += matrix.col_stride)
    dot_lines<1>(k, x, lines, matrix.col_stride, out + j);
}

// out += the sum of kRows lines, each times its factor.
template <int kRows>
void add_lines(int64_t n, const float* factors, const float* lines, int64_t stride, float* out) {
  int64_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    Lanes total = load(out + j);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) total += factors[r] * load(lines + r * stride + j);
    store(out + j, total);
  }
  for (; j < n; ++j)
    for (int r = 0; r < kRows; ++r)
      out[j] = __builtin_fmaf(factors[r], lines[r * stride + j], out[j]);
}

// Rows of the matrix are contiguous. They are read one after another, in parts whose results stay
// in the nearest cache.
void multiply_rows(int64_t k, int64_t begin, int64_t end, const float* x, const Matrix& matrix,
                   float* out) {
  constexpr int kRows = 8;
  constexpr int64_t kPart = 2048;
  for (int64_t from = begin; from < end; from += kPart) {
    const int64_t n = std::min(kPart, end - from);
    const float* lines = static_cast<const float*>(matrix.data) + from;
    std::fill_n(out + from, n, 0.f);
    int64_t i = 0;
    for (; i + kRows <= k; i += kRows)
      add_lines<kRows>(n, x + i, lines + i * matrix.row_stride, matrix.row_stride, out + from);
    for (; i < k; ++i)
      add_lines<1>(n, x + i, lines + i * matrix.row_stride, matrix.row_stride, out + from);
  }
}

}  // namespace

void multiply_vector(int64_t k, int64_t n, const float* x, const Matrix& matrix, const float* bias,
                     int64_t bias_step, float* out) {
  const bool by_rows = matrix.col_stride == 1;
  parallel_for(
      n, std::max<int64_t>(1, kElementGrain / std::max<int64_t>(k, 1)),
      [&](int64_t begin, int64_t end) {
        if (by_rows)
          multiply_rows(k, begin, end, x, matrix, out);
        else
          multiply_columns(k, begin, end, x, matrix, out);
        if (!bias) return;
        for (int64_t j = begin; j < end; ++j) out[j] += bias[j * bias_step];
      },
      kLanes);
}

}  // namespace msjit::gemm
