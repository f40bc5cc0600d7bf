#include "kernels/cpu/strided.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/core/scalar_num.h"
#include "kernels/cpu/parallel.h"

namespace msjit {
namespace {

template <class From, class To>
void convert_loop(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t n) {
  const From* in = static_cast<const From*>(from);
  To* out = static_cast<To*>(to);
  if constexpr (std::is_same_v<From, To>) {
    if (from_stride == 1 && to_stride == 1) {
      std::memcpy(out, in, static_cast<size_t>(n) * sizeof(To));
      return;
    }
  }
  if (from_stride == 1 && to_stride == 1) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = convert_value<To>(in[i]);
  } else if (from_stride == 0 && to_stride == 1) {
    if (n > 0) std::fill_n(out, n, convert_value<To>(in[0]));
  } else {
    for (int64_t i = 0; i < n; ++i) out[i * to_stride] = convert_value<To>(in[i * from_stride]);
  }
}

// GCC does not vectorise conversions of 16-bit floats.
template <>
void convert_loop<Half, float>(const void* from, int64_t from_stride, void* to, int64_t to_stride,
                               int64_t n) {
  const Half* in = static_cast<const Half*>(from);
  float* out = static_cast<float*>(to);
  int64_t i = 0;
  if (from_stride == 1 && to_stride == 1) {
    for (; i + 8 <= n; i += 8) {
      _mm256_storeu_ps(out + i,
                       _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
    }
  }
  for (; i < n; ++i) out[i * to_stride] = in[i * from_stride];
}

template <>
void convert_loop<float, Half>(const void* from, int64_t from_stride, void* to, int64_t to_stride,
                               int64_t n) {
  const float* in = static_cast<const float*>(from);
  Half* out = static_cast<Half*>(to);
  int64_t i = 0;
  if (from_stride == 1 && to_stride == 1) {
    for (; i + 8 <= n; i += 8) {
      __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), half);
    }
  }
  for (; i < n; ++i) out[i * to_stride] = Half(in[i * from_stride]);
}

template <class From>
constexpr std::array<ConvertFn, kNumDTypes> convert_row() {
  return {
      convert_loop<From, bool>,     convert_loop<From, uint8_t>,   convert_loop<From, int8_t>,
      convert_loop<From, int16_t>,  convert_loop<From, int32_t>,   convert_loop<From, int64_t>,
      convert_loop<From, Half>,     convert_loop<From, BFloat16>,  convert_loop<From, float>,
      convert_loop<From, double>,   convert_loop<From, uint16_t>,  convert_loop<From, uint32_t>,
      convert_loop<From, uint64_t>, convert_loop<From, Complex64>, convert_loop<From, Complex128>};
}

constexpr std::array<ConvertFn, kNumDTypes> kConvert[kNumDTypes] = {
    convert_row<bool>(),     convert_row<uint8_t>(),   convert_row<int8_t>(),
    convert_row<int16_t>(),  convert_row<int32_t>(),   convert_row<int64_t>(),
    convert_row<Half>(),     convert_row<BFloat16>(),  convert_row<float>(),
    convert_row<double>(),   convert_row<uint16_t>(),  convert_row<uint32_t>(),
    convert_row<uint64_t>(), convert_row<Complex64>(), convert_row<Complex128>(),
};

}  // namespace

ConvertFn convert_fn(DType from, DType to) {
  return kConvert[static_cast<int>(from)][static_cast<int>(to)];
}

StridedLoop::StridedLoop(const Shape& shape) : rank_(shape.rank()), numel_(shape.numel()) {
  std::copy(shape.begin(), shape.end(), dims_);
}

int StridedLoop::add_operand(const void* data, const Shape& shape, const Shape& strides,
                             int64_t item_size) {
  int operand = num_operands_++;
  int missing = rank_ - shape.rank();
  for (int i = 0; i < rank_; ++i) {
    bool spread = i < missing || shape[i - missing] == 1;
    strides_[operand][i] = spread ? 0 : strides[i - missing] * item_size;
  }
  data_[operand] = const_cast<char*>(static_cast<const char*>(data));
  return operand;
}

void StridedLoop::coalesce() {
  int kept = 0;  // dimensions [0, kept) are final; the last may still absorb the next
  for (int i = 0; i < rank_; ++i) {
    if (dims_[i] == 1) continue;
    bool merge = kept > 0;
    for (int k = 0; merge && k < num_operands_; ++k) {
      merge = strides_[k][kept - 1] == strides_[k][i] * dims_[i];
    }
    if (merge) {
      dims_[kept - 1] *= dims_[i];
    } else {
      dims_[kept] = dims_[i];
      ++kept;
    }
    for (int k = 0; k < num_operands_; ++k) strides_[k][kept - 1] = strides_[k][i];
  }
  rank_ = kept;
}

StridedLoop::Cursor::Cursor(const StridedLoop& loop, int64_t start) : loop_(loop) {
  for (int k = 0; k < loop.num_operands_; ++k) pointers_[k] = loop.data_[k];
  for (int i = loop.rank_ - 1; i >= 0 && start > 0; --i) {
    index_[i] = start % loop.dims_[i];
    start /= loop.dims_[i];
    for (int k = 0; k < loop.num_operands_; ++k) pointers_[k] += index_[i] * loop.strides_[k][i];
  }
}

void StridedLoop::Cursor::advance(int64_t n) {
  int i = loop_.rank_ - 1;
  if (i < 0) return;
  index_[i] += n;
  for (int k = 0; k < loop_.num_operands_; ++k) pointers_[k] += n * loop_.strides_[k][i];
  while (i > 0 && index_[i] == loop_.dims_[i]) {
    for (int k = 0; k < loop_.num_operands_; ++k) {
      pointers_[k] += loop_.strides_[k][i - 1] - loop_.dims_[i] * loop_.strides_[k][i];
    }
    index_[i] = 0;
    ++index_[--i];
  }
}

void convert_copy(const Tensor& from, const Tensor& to) {
  int64_t n = to.numel();
  if (n == 0) return;
  ConvertFn convert = convert_fn(from.dtype(), to.dtype());
  if (from.contiguous() && to.contiguous() && from.numel() == n) {
    int64_t in_size = item_size(from.dtype());
    int64_t out_size = item_size(to.dtype());
    parallel_for(n, kElementGrain, [&](int64_t begin, int64_t end) {
      convert(from.data_as<char>() + begin * in_size, 1, to.data_as<char>() + begin * out_size, 1,
              end - begin);
    });
    return;
  }
  StridedLoop loop(to.shape());
  loop.add_operand(from);
  loop.add_operand(to);
  loop.coalesce();
  int64_t in_stride = loop.inner_stride(0) / item_size(from.dtype());
  int64_t out_stride = loop.inner_stride(1) / item_size(to.dtype());
  parallel_for(n, kElementGrain, [&](int64_t begin, int64_t end) {
    StridedLoop::Cursor cursor(loop, begin);
    while (begin < end) {
      int64_t run = std::min(cursor.run(), end - begin);
      convert(cursor.pointer(0), in_stride, cursor.pointer(1), out_stride, run);
      cursor.advance(run);
      begin += run;
    }
  });
}

void copy_strided(const Tensor& from, const Tensor& to) { convert_copy(from, to); }

}  // namespace msjit
