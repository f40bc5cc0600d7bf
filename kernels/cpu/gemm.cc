#include "kernels/cpu/gemm.h"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "kernels/cpu/parallel.h"

namespace msjit::gemm {
namespace {

constexpr int kRows = 4;            // register tile: kRows x Tile<T>::kCols
constexpr int64_t kDepth = 256;     // k of a packed panel, so that it stays in the first two cache levels
constexpr int64_t kBlockRows = 64;  // rows of one parallel task

template <class T>
struct Tile {
  static constexpr int kCols = sizeof(T) >= 4 ? static_cast<int>(64 / sizeof(T)) : 16;
};

// Integer arithmetic is done unsigned, where wrapping is defined.
template <class T>
struct Accumulator {
  using type = std::conditional_t<std::is_floating_point_v<T>, T,
                                  std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;
};

template <class A>
inline A multiply_add(A a, A b, A c) {
  if constexpr (std::is_same_v<A, double>) return __builtin_fma(a, b, c);
  else if constexpr (std::is_same_v<A, float>) return __builtin_fmaf(a, b, c);
  else return a * b + c;
}

// Rows of b[k0 .. k0+depth) in strips of kCols columns, zero padded: strip, depth, column.
template <class T>
void pack_b(const Matrix& b, int64_t k0, int64_t depth, int64_t n, T* packed) {
  constexpr int kCols = Tile<T>::kCols;
  const T* data = static_cast<const T*>(b.data);
  for (int64_t j0 = 0; j0 < n; j0 += kCols) {
    int64_t width = std::min<int64_t>(kCols, n - j0);
    for (int64_t p = 0; p < depth; ++p, packed += kCols) {
      const T* row = data + (k0 + p) * b.row_stride + j0 * b.col_stride;
      for (int64_t j = 0; j < width; ++j) packed[j] = row[j * b.col_stride];
      for (int64_t j = width; j < kCols; ++j) packed[j] = T(0);
    }
  }
}

template <class T>
void pack_a(const Matrix& a, int64_t i0, int64_t rows, int64_t k0, int64_t depth, T* packed) {
  const T* data = static_cast<const T*>(a.data);
  for (int64_t i = 0; i < rows; i += kRows)
    for (int64_t p = 0; p < depth; ++p)
      for (int r = 0; r < kRows; ++r, ++packed) {
        int64_t row = i0 + i + r;
        bool inside = i + r < rows;
        *packed = inside ? data[row * a.row_stride + (k0 + p) * a.col_stride] : T(0);
      }
}

template <class T>
void micro_tile(int64_t depth, const T* a, const T* b, T* out, int64_t out_stride, int64_t rows,
                int64_t cols, bool accumulate) {
  using A = typename Accumulator<T>::type;
  constexpr int kCols = Tile<T>::kCols;
  A sum[kRows][kCols] = {};
  for (int64_t p = 0; p < depth; ++p, a += kRows, b += kCols)
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kCols; ++c)
        sum[r][c] = multiply_add<A>(static_cast<A>(a[r]), static_cast<A>(b[c]), sum[r][c]);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      T& slot = out[r * out_stride + c];
      slot = static_cast<T>(accumulate ? static_cast<A>(slot) + sum[r][c] : sum[r][c]);
    }
}

template <class T>
void multiply_block(const Matrix& a, int64_t i0, int64_t rows, int64_t n, int64_t k0, int64_t depth,
                    const T* packed_b, T* out, int64_t out_stride) {
  constexpr int kCols = Tile<T>::kCols;
  T packed_a[kBlockRows * kDepth];
  pack_a(a, i0, rows, k0, depth, packed_a);
  for (int64_t j = 0; j < n; j += kCols)
    for (int64_t i = 0; i < rows; i += kRows)
      micro_tile<T>(depth, packed_a + i * depth, packed_b + j * depth,
                    out + (i0 + i) * out_stride + j, out_stride, std::min<int64_t>(kRows, rows - i),
                    std::min<int64_t>(kCols, n - j), k0 > 0);
}

template <class T>
void multiply_typed(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b, T* out,
                    int64_t out_stride) {
  constexpr int kCols = Tile<T>::kCols;
  int64_t padded = (n + kCols - 1) / kCols * kCols;
  auto packed_b = std::make_unique_for_overwrite<T[]>(padded * std::min(k, kDepth));
  for (int64_t k0 = 0; k0 < k; k0 += kDepth) {
    int64_t depth = std::min(kDepth, k - k0);
    pack_b(b, k0, depth, n, packed_b.get());
    int64_t blocks = (m + kBlockRows - 1) / kBlockRows;
    int64_t cost = kBlockRows * n * depth / 8;
    int64_t grain = std::max<int64_t>(1, kElementGrain / std::max<int64_t>(cost, 1));
    parallel_for(blocks, grain, [&](int64_t first, int64_t last) {
      for (int64_t block = first; block < last; ++block) {
        int64_t i0 = block * kBlockRows;
        multiply_block<T>(a, i0, std::min(kBlockRows, m - i0), n, k0, depth, packed_b.get(), out,
                          out_stride);
      }
    });
  }
}

}  // namespace

void multiply(DType dtype, int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b,
              void* out, int64_t out_stride) {
  dispatch_dtype(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, Half> && !std::is_same_v<T, BFloat16>)
      multiply_typed<T>(m, n, k, a, b, static_cast<T*>(out), out_stride);
  });
}

template <bool kUnit>
static void small_rows(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b, float* out) {
  const float* a_data = static_cast<const float*>(a.data);
  const float* b_data = static_cast<const float*>(b.data);
  for (int64_t i = 0; i < m; ++i, out += n) {
    const float* row = a_data + i * a.row_stride;
    for (int64_t j = 0; j < n; ++j) out[j] = 0;
    for (int64_t p = 0; p < k; ++p) {
      float factor = row[p * a.col_stride];
      const float* line = b_data + p * b.row_stride;
      for (int64_t j = 0; j < n; ++j)
        out[j] = __builtin_fmaf(factor, line[kUnit ? j : j * b.col_stride], out[j]);
    }
  }
}

void multiply_small(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b, float* out) {
  if (b.col_stride == 1) return small_rows<true>(m, n, k, a, b, out);
  small_rows<false>(m, n, k, a, b, out);
}

}  // namespace msjit::gemm
