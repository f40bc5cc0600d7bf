#include "kernels/cpu/gemm.h"

#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

#include "kernels/cpu/parallel.h"

namespace msjit::gemm {
namespace {

constexpr int kRows = 6;  // register tile: kRows by two vectors
constexpr int64_t kDepth =
    256;  // k of a packed panel, so that it stays in the first two cache levels
constexpr int64_t kBlockRows = 72;  // rows of one parallel task; a multiple of kRows

// Sums are computed in at least 32 bits. Integers are computed as unsigned, where wrapping is
// defined.
template <class T>
struct Accumulator {
  using type = std::conditional_t<std::is_floating_point_v<T>, T,
                                  std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;
};

template <class A>
struct Vector {
  typedef A type __attribute__((vector_size(32)));
  typedef A unaligned __attribute__((vector_size(32), aligned(alignof(A)), may_alias));
  static constexpr int kLanes = 32 / sizeof(A);
  static constexpr int kCols = 2 * kLanes;
};

template <class A>
inline typename Vector<A>::type multiply_add(typename Vector<A>::type a, typename Vector<A>::type b,
                                             typename Vector<A>::type c) {
  if constexpr (std::is_same_v<A, double>)
    return _mm256_fmadd_pd(a, b, c);
  else if constexpr (std::is_same_v<A, float>)
    return _mm256_fmadd_ps(a, b, c);
  else
    return a * b + c;
}

// Rows of b[k0 .. k0+depth) in strips of kCols columns, zero padded: strip, depth, column.
template <class T, class A>
void pack_b(const Matrix& b, int64_t k0, int64_t depth, int64_t n, A* packed) {
  constexpr int kCols = Vector<A>::kCols;
  const T* data = static_cast<const T*>(b.data);
  for (int64_t j0 = 0; j0 < n; j0 += kCols) {
    int64_t width = std::min<int64_t>(kCols, n - j0);
    for (int64_t p = 0; p < depth; ++p, packed += kCols) {
      const T* row = data + (k0 + p) * b.row_stride + j0 * b.col_stride;
      for (int64_t j = 0; j < width; ++j) packed[j] = static_cast<A>(row[j * b.col_stride]);
      for (int64_t j = width; j < kCols; ++j) packed[j] = A(0);
    }
  }
}

template <class T, class A>
void pack_a(const Matrix& a, int64_t i0, int64_t rows, int64_t k0, int64_t depth, A* packed) {
  const T* data = static_cast<const T*>(a.data);
  for (int64_t i = 0; i < rows; i += kRows)
    for (int64_t p = 0; p < depth; ++p)
      for (int r = 0; r < kRows; ++r, ++packed) {
        int64_t row = i0 + i + r;
        bool inside = i + r < rows;
        *packed =
            inside ? static_cast<A>(data[row * a.row_stride + (k0 + p) * a.col_stride]) : A(0);
      }
}

template <class A>
void micro_tile(int64_t depth, const A* a, const A* b, A (&sum)[kRows][Vector<A>::kCols]) {
  using V = typename Vector<A>::type;
  using U = typename Vector<A>::unaligned;
  V acc[kRows][2] = {};
  for (int64_t p = 0; p < depth; ++p, a += kRows, b += Vector<A>::kCols) {
    V left = *reinterpret_cast<const U*>(b);
    V right = *reinterpret_cast<const U*>(b + Vector<A>::kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      V factor = V{} + a[r];
      acc[r][0] = multiply_add<A>(factor, left, acc[r][0]);
      acc[r][1] = multiply_add<A>(factor, right, acc[r][1]);
    }
  }
  std::memcpy(sum, acc, sizeof(sum));
}

template <class T>
void store_tile(const typename Accumulator<T>::type* sum, int64_t sum_stride, T* out,
                int64_t out_stride, int64_t rows, int64_t cols, bool accumulate) {
  using A = typename Accumulator<T>::type;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      T& slot = out[r * out_stride + c];
      A value = sum[r * sum_stride + c];
      slot = static_cast<T>(accumulate ? static_cast<A>(slot) + value : value);
    }
}

template <class T>
void multiply_block(const Matrix& a, int64_t i0, int64_t rows, int64_t n, int64_t k0, int64_t depth,
                    const typename Accumulator<T>::type* packed_b, T* out, int64_t out_stride) {
  using A = typename Accumulator<T>::type;
  constexpr int kCols = Vector<A>::kCols;
  alignas(64) A packed_a[kBlockRows * kDepth];
  alignas(64) A sum[kRows][kCols];
  pack_a<T>(a, i0, rows, k0, depth, packed_a);
  for (int64_t j = 0; j < n; j += kCols)
    for (int64_t i = 0; i < rows; i += kRows) {
      micro_tile<A>(depth, packed_a + i * depth, packed_b + j * depth, sum);
      store_tile<T>(sum[0], kCols, out + (i0 + i) * out_stride + j, out_stride,
                    std::min<int64_t>(kRows, rows - i), std::min<int64_t>(kCols, n - j), k0 > 0);
    }
}

template <class T>
void multiply_typed(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b, T* out,
                    int64_t out_stride) {
  using A = typename Accumulator<T>::type;
  constexpr int kCols = Vector<A>::kCols;
  int64_t padded = (n + kCols - 1) / kCols * kCols;
  auto packed_b = std::make_unique_for_overwrite<A[]>(padded * std::min(k, kDepth));
  for (int64_t k0 = 0; k0 < k; k0 += kDepth) {
    int64_t depth = std::min(kDepth, k - k0);
    pack_b<T>(b, k0, depth, n, packed_b.get());
    int64_t blocks = (m + kBlockRows - 1) / kBlockRows;
    int64_t cost = std::max<int64_t>(kBlockRows * n * depth / 8, 1);
    parallel_for(blocks, std::max<int64_t>(1, kElementGrain / cost),
                 [&](int64_t first, int64_t last) {
                   for (int64_t block = first; block < last; ++block) {
                     int64_t i0 = block * kBlockRows;
                     multiply_block<T>(a, i0, std::min(kBlockRows, m - i0), n, k0, depth,
                                       packed_b.get(), out, out_stride);
                   }
                 });
  }
}

}  // namespace

void multiply(DType dtype, int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b,
              void* out, int64_t out_stride) {
  dispatch_dtype(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, Half> &&
                  !std::is_same_v<T, BFloat16>)
      multiply_typed<T>(m, n, k, a, b, static_cast<T*>(out), out_stride);
  });
}

template <bool kUnit>
static void small_rows(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b,
                       float* out) {
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
