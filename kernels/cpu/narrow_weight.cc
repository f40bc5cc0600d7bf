#include "kernels/cpu/narrow_weight.h"

#include <algorithm>

#include "kernels/core/checks.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/wide_vectors.h"

// The warning is about passing 512-bit vectors between functions; these functions are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"
// Multiplies and adds in one instruction.
#define MSJIT_FUSED [[gnu::optimize("fp-contract=fast")]]
#define MSJIT_INLINE [[gnu::always_inline]] inline

namespace msjit::narrow {
namespace {

// Vector types of 4 * lanes bytes; the loose ones need no alignment. (GCC ignores a vector size
// that depends on a template parameter in a typedef.)
template <int lanes>
struct Vectors;
#define MSJIT_VECTORS(lanes)                                                                  \
  template <>                                                                                 \
  struct Vectors<lanes> {                                                                     \
    typedef float Floats __attribute__((vector_size(4 * lanes)));                             \
    typedef int32_t Ints __attribute__((vector_size(4 * lanes)));                             \
    typedef float LooseFloats __attribute__((vector_size(4 * lanes), aligned(4), may_alias)); \
    typedef int32_t LooseInts __attribute__((vector_size(4 * lanes), aligned(1), may_alias)); \
  };
MSJIT_VECTORS(4)
MSJIT_VECTORS(8)
MSJIT_VECTORS(16)

// A block is one vector of 32-bit lanes. Each lane holds kParts neighbours of a row, so a block has
// kLanes * kParts numbers. Shifts extract them, one per lane at a time, so x is read in the order
// (part, lane); see arrange(). That is cheaper than widening the bytes in their order.
template <int bits, int lanes>
struct Format {
  static constexpr int kBits = bits, kLanes = lanes;
  static constexpr int kParts = 32 / kBits, kBlock = kLanes * kParts;
  using Floats = typename Vectors<lanes>::Floats;
  using Ints = typename Vectors<lanes>::Ints;
  using LooseFloats = typename Vectors<lanes>::LooseFloats;
  using LooseInts = typename Vectors<lanes>::LooseInts;

  MSJIT_INLINE static Floats load(const float* p) {
    return *reinterpret_cast<const LooseFloats*>(p);
  }
  MSJIT_INLINE static Ints load_block(const uint8_t* line, int64_t k) {
    return *reinterpret_cast<const LooseInts*>(line + k * kBits / 8);
  }
  MSJIT_INLINE static Floats part(Ints block, int i) {
    return __builtin_convertvector((block << (32 - kBits * (i + 1))) >> (32 - kBits), Floats);
  }
  static float sum(const Floats& v) {
    float total = 0;
    for (int i = 0; i < kLanes; ++i) total += v[i];
    return total;
  }
};

// Number k of a line (a row of the weight).
template <int kBits>
MSJIT_INLINE int number_at(const uint8_t* line, int64_t k) {
  if (kBits == 8) return static_cast<int8_t>(line[k]);
  const int half = k % 2 ? line[k / 2] >> 4 : line[k / 2] & 15;
  return half - (half & 8) * 2;
}

// x in the order in which the blocks are read, and the sum over each group.
template <class F>
void arrange(const Weight& w, int64_t m, const float* x, float* arranged, float* sums) {
  const int64_t size = w.group_size(), whole = size / F::kBlock * F::kBlock;
  for (int64_t group = 0; group < m * w.groups; ++group, x += size, arranged += size) {
    double total = 0;
    for (int64_t k = 0; k < size; ++k) total += x[k];
    sums[group] = static_cast<float>(total);
    for (int64_t block = 0; block < whole; block += F::kBlock)
      for (int lane = 0; lane < F::kLanes; ++lane)
        for (int part = 0; part < F::kParts; ++part)
          arranged[block + part * F::kLanes + lane] = x[block + lane * F::kParts + part];
    std::copy(x + whole, x + size, arranged + whole);
  }
}

// The lines of a weight and the rows of x that one tile multiplies.
struct Tile {
  Weight w;
  const float* x;     // arranged, `cols` apart
  const float* sums;  // `groups` apart
  const float* bias;
  float* out;  // (m, rows)
  int64_t line;
  Tile at_row(int64_t row) const {
    return {w, x + row * w.cols, sums + row * w.groups, bias, out + row * w.rows, line};
  }
};

// What a group contributes besides its whole blocks: the part of its zero, and the numbers after
// the last whole block.
template <class F, int kRows, int kCount>
MSJIT_INLINE void add_rest(const Tile& t, int64_t group, int64_t whole, float* rest) {
  const int64_t size = t.w.group_size(), first = group * size;
  for (int line = 0; line < kCount; ++line) {
    const uint8_t* const numbers = t.w.data + (t.line + line) * t.w.line_bytes();
    const int64_t at = (t.line + line) * t.w.groups + group;
    for (int row = 0; row < kRows; ++row) {
      const float* const x = t.x + row * t.w.cols;
      float more = t.w.zero ? -t.w.zero[at] * t.sums[row * t.w.groups + group] : 0.f;
      for (int64_t k = first + whole; k < first + size; ++k)
        more += x[k] * static_cast<float>(number_at<F::kBits>(numbers, k));
      rest[row * kCount + line] += more * t.w.scale[at];
    }
  }
}

// Multiplies a group of kCount lines by kRows rows. The products are added to `totals`, those after
// the last whole block to `rest`.
template <class F, int kRows, int kCount>
MSJIT_INLINE void add_group(const Tile& t, int64_t group, typename F::Floats* totals, float* rest) {
  const int64_t size = t.w.group_size(), first = group * size, stride = t.w.line_bytes();
  const int64_t whole = size / F::kBlock * F::kBlock;
  const uint8_t* const lines = t.w.data + t.line * stride;
  typename F::Floats sums[kRows * kCount] = {};
  for (int64_t k = first; k < first + whole; k += F::kBlock) {
#pragma GCC unroll 8
    for (int line = 0; line < kCount; ++line) {
      const typename F::Ints block = F::load_block(lines + line * stride, k);
#pragma GCC unroll 8
      for (int part = 0; part < F::kParts; ++part) {
        const typename F::Floats weight = F::part(block, part);
#pragma GCC unroll 8
        for (int row = 0; row < kRows; ++row)
          sums[row * kCount + line] +=
              F::load(t.x + row * t.w.cols + k + part * F::kLanes) * weight;
      }
    }
  }
  for (int line = 0; line < kCount; ++line) {
    const float scale = t.w.scale[(t.line + line) * t.w.groups + group];
    for (int row = 0; row < kRows; ++row)
      totals[row * kCount + line] += sums[row * kCount + line] * scale;
  }
  if (t.w.zero || whole < size) add_rest<F, kRows, kCount>(t, group, whole, rest);
}

template <class F, int kRows, int kCount>
MSJIT_INLINE void run_tile(const Tile& t) {
  typename F::Floats totals[kRows * kCount] = {};
  float rest[kRows * kCount] = {};
  for (int64_t group = 0; group < t.w.groups; ++group)
    add_group<F, kRows, kCount>(t, group, totals, rest);
  for (int row = 0; row < kRows; ++row)
    for (int line = 0; line < kCount; ++line)
      t.out[row * t.w.rows + t.line + line] = F::sum(totals[row * kCount + line]) +
                                              rest[row * kCount + line] +
                                              (t.bias ? t.bias[t.line + line] : 0.f);
}

template <class F, int kRows, int kCount>
MSJIT_INLINE void run_lines(Tile t, int64_t end) {
  for (; t.line + kCount <= end; t.line += kCount) run_tile<F, kRows, kCount>(t);
  for (; t.line < end; ++t.line) run_tile<F, kRows, 1>(t);
}

// Computes the lines up to `end` a few at a time, so that they stay in the nearest cache for all
// rows of x.
template <class F>
MSJIT_INLINE void run_range(Tile t, int64_t m, int64_t end) {
  constexpr int kRows = 4, kCount = 4, kPart = 8;
  for (; t.line < end; t.line += kPart) {
    const int64_t to = std::min(end, t.line + kPart);
    int64_t row = 0;
    for (; row + kRows <= m; row += kRows) run_lines<F, kRows, kCount>(t.at_row(row), to);
    for (; row < m; ++row) run_lines<F, 1, kPart>(t.at_row(row), to);
  }
}

template <class F>
MSJIT_FUSED void run_everywhere(const Tile& t, int64_t m, int64_t end) {
  run_range<F>(t, m, end);
}
template <class F>
MSJIT_FUSED MSJIT_WIDE_LOOP void run_wide(const Tile& t, int64_t m, int64_t end) {
  run_range<F>(t, m, end);
}

template <class F>
Status multiply_as(const Weight& w, int64_t m, const float* x, const float* bias, float* out) {
  const auto run = has_wide_vectors() ? run_wide<F> : run_everywhere<F>;
  MSJIT_TRY(const Tensor scratch, Tensor::empty(DType::kFloat32, {m * (w.cols + w.groups)}));
  auto* const arranged = scratch.data_as<float>();
  float* const sums = arranged + m * w.cols;
  arrange<F>(w, m, x, arranged, sums);
  parallel_for(
      w.rows, layout::grain_for(m * w.cols),
      [&](int64_t begin, int64_t end) {
        run({w, arranged, sums, bias, out, begin}, m, end);
      },
      8);
  return {};
}

// Whether groups are whole blocks of F, or so long that the rest hardly matters.
template <class F>
bool suits(const Weight& w) {
  return w.group_size() % F::kBlock == 0 || w.group_size() >= 8 * F::kBlock;
}

template <int kBits>
Status multiply_bits(const Weight& w, int64_t m, const float* x, const float* bias, float* out) {
  using Wide = Format<kBits, 16>;
  using Middle = Format<kBits, 8>;
  using Small = Format<kBits, 4>;
  if (has_wide_vectors() && suits<Wide>(w)) return multiply_as<Wide>(w, m, x, bias, out);
  if (suits<Middle>(w)) return multiply_as<Middle>(w, m, x, bias, out);
  return multiply_as<Small>(w, m, x, bias, out);
}

// Widens two 4-bit numbers per step: the groups of a row begin at even places.
template <int kBits>
MSJIT_INLINE void widen_group(const uint8_t* line, int64_t first, int64_t size, float scale,
                              float zero, float* out) {
  const auto value = [=](int number) { return (static_cast<float>(number) - zero) * scale; };
  if (kBits == 8) {
    const auto* const numbers = reinterpret_cast<const int8_t*>(line) + first;
    for (int64_t k = 0; k < size; ++k) out[k] = value(numbers[k]);
    return;
  }
  const auto* const pairs = reinterpret_cast<const int8_t*>(line) + first / 2;
  for (int64_t pair = 0; pair < size / 2; ++pair) {
    const int both = pairs[pair];
    out[2 * pair] = value(static_cast<int>(static_cast<uint32_t>(both) << 28) >> 28);
    out[2 * pair + 1] = value(both >> 4);
  }
  if (size % 2 != 0) out[size - 1] = value(number_at<4>(line, first + size - 1));
}

template <int kBits>
MSJIT_INLINE void widen_lines(const Weight& w, int64_t begin, int64_t end, float* out) {
  const int64_t size = w.group_size();
  for (int64_t row = begin; row < end; ++row, out += w.cols)
    for (int64_t group = 0; group < w.groups; ++group)
      widen_group<kBits>(w.data + row * w.line_bytes(), group * size, size,
                         w.scale[row * w.groups + group],
                         w.zero ? w.zero[row * w.groups + group] : 0.f, out + group * size);
}
template <int kBits>
void widen_everywhere(const Weight& w, int64_t begin, int64_t end, float* out) {
  widen_lines<kBits>(w, begin, end, out);
}
template <int kBits>
MSJIT_WIDE_LOOP void widen_wide(const Weight& w, int64_t begin, int64_t end, float* out) {
  widen_lines<kBits>(w, begin, end, out);
}

}  // namespace

Status multiply(const Weight& w, int64_t m, const float* x, const float* bias, float* out) {
  return w.bits == 8 ? multiply_bits<8>(w, m, x, bias, out) : multiply_bits<4>(w, m, x, bias, out);
}

void widen(const Weight& w, int64_t begin, int64_t end, float* out) {
  const bool wide = has_wide_vectors();
  const auto run = w.bits == 8 ? (wide ? widen_wide<8> : widen_everywhere<8>)
                               : (wide ? widen_wide<4> : widen_everywhere<4>);
  parallel_for(end - begin, layout::grain_for(w.cols), [&](int64_t from, int64_t to) {
    run(w, begin + from, begin + to, out + from * w.cols);
  });
}

Weight Operands::view(int bits, int64_t cols) const {
  const int64_t rows = weight.dim(0);
  return {static_cast<const uint8_t*>(weight.data()),
          bits,
          rows,
          cols,
          scale.rank() == 2 ? scale.dim(1) : 1,
          scale.data_as<float>(),
          zero ? zero.data_as<float>() : nullptr};
}

Result<Operands> operands_of(const Tensor& weight, const Tensor& scale, const Tensor& zero) {
  Operands o;
  MSJIT_TRY(o.weight, weight.to_contiguous());
  MSJIT_TRY(o.scale, scale.to_contiguous());
  if (zero) {
    MSJIT_TRY(o.zero, zero.to_contiguous());
  }
  return o;
}

Status check(InferCtx& ctx, int first, int64_t bits, Dim cols) {
  if (bits != 8 && bits != 4)
    return value_error("[{}] bits, got {}, expected 4 or 8", ctx.name(), bits);
  const Meta &weight = ctx.in(first), &scale = ctx.in(first + 1);
  MSJIT_OK(require_dtype(ctx, weight, bits == 8 ? DType::kInt8 : DType::kUInt8, "weight"));
  MSJIT_OK(require_rank(ctx, weight, 2, "weight"));
  MSJIT_OK(ctx.require_eq(weight.shape[1], bits == 8 ? cols : (cols + 1) / 2, "inner sizes"));
  MSJIT_OK(require_dtype(ctx, scale, DType::kFloat32, "scale"));
  if (scale.shape.rank() != 1 && scale.shape.rank() != 2)
    return value_error("[{}] scale has a wrong rank, got {}, expected 1 or 2", ctx.name(),
                       scale.shape.rank());
  MSJIT_OK(ctx.require_eq(scale.shape[0], weight.shape[0], "scale and output sizes"));
  const Dim groups = scale.shape.rank() == 2 ? scale.shape[1] : 1;
  const bool even = groups > 0 && cols % groups == 0;
  if (!even || (bits == 4 && groups > 1 && cols / groups % 2 != 0))
    return value_error("[{}] scale, got {} groups for rows of {} numbers of {} bits, expected {}",
                       ctx.name(), groups, cols, bits,
                       even ? "groups of an even size" : "a divisor of the row's size");
  if (!ctx.has(first + 2)) return {};
  MSJIT_OK(require_dtype(ctx, ctx.in(first + 2), DType::kFloat32, "zero"));
  return require_shape(ctx, ctx.in(first + 2), scale.shape, "zero");
}

}  // namespace msjit::narrow
