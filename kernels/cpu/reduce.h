// Reductions over any set of axes. The input is seen as [outer, reduced, inner] when the axes are
// adjacent; otherwise its reduced axes are moved to the end first. Rows are reduced in independent
// lanes, columns element by element down the rows. Float sums are added to a double every few
// thousand elements.
#pragma once

#include <algorithm>
#include <memory>

#include "kernels/core/op.h"
#include "kernels/cpu/parallel.h"

namespace msjit {

struct ReducePlan {
  Tensor input;  // contiguous
  int64_t outer = 1, reduced = 1, inner = 1;
};
// `axes`: normalised and sorted.
Result<ReducePlan> plan_reduce(const Tensor& input, const IntList& axes);
// The axes that attribute 0 names, for an input that has passed infer.
IntList reduce_axes(const Attrs& attrs, int rank);
// The shape after reducing the axes of attribute 0; attribute 1 is keepdims. `result` maps the
// input dtype to the result's.
Status reduce_infer(InferCtx& ctx, DType (*result)(DType));
// reduce_infer() for maximum and minimum: an empty reduction is an error, because it has no
// identity.
Status extremum_infer(InferCtx& ctx, DType (*result)(DType));
inline DType same_dtype(DType d) { return d; }
inline DType bool_dtype(DType) { return DType::kBool; }
inline DType index_dtype(DType) { return DType::kInt64; }
// The dtype of sums and products. As in MindSpore, the wide unsigned integers keep theirs.
inline DType sum_dtype(DType d) { return is_inexact(d) || is_wide_unsigned(d) ? d : DType::kInt64; }
template <class T>
inline constexpr bool kIsWideUnsigned = std::is_unsigned_v<T> && sizeof(T) > 1;
template <class T>
using SumType = std::conditional_t<std::is_integral_v<T> && !kIsWideUnsigned<T>, int64_t, T>;
// The type in which sums and products are accumulated.
template <class T>
using SumTotal = std::conditional_t<std::is_integral_v<T>, int64_t,
                                    std::conditional_t<kIsComplex<T>, Complex128, double>>;

// Spreads a reduced value or gradient over the shape of the reduced input.
Val spread_reduced(Vjp& v, const Val& reduced);

// Fold: { using Acc (type of a lane), Total, Out (of the result); static Acc identity(); static Acc
// apply(Acc, Acc); static Total merge(Total, Acc) }
template <class T, class Fold>
struct Reducer {
  using Out = typename Fold::Out;
  using Acc = typename Fold::Acc;
  using Total = typename Fold::Total;
  static constexpr int kLanes = 32;
  static constexpr int64_t kBlock = 4096;  // elements per partial result
  static constexpr int64_t kRows = 128;    // the same down a column
  static constexpr int64_t kWidth = 64;    // columns side by side

  static Total row(const T* p, int64_t n) {
    Total total = static_cast<Total>(Fold::identity());
    for (int64_t i = 0; i < n; i += kBlock)
      total = Fold::merge(total, block(p + i, std::min(kBlock, n - i)));
    return total;
  }

  [[gnu::noinline]] static Acc block(const T* p, int64_t n) {
    Acc lanes[kLanes];
    for (int l = 0; l < kLanes; ++l) lanes[l] = Fold::identity();
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
      for (int l = 0; l < kLanes; ++l) lanes[l] = Fold::apply(lanes[l], static_cast<Acc>(p[i + l]));
    for (; i < n; ++i) lanes[i % kLanes] = Fold::apply(lanes[i % kLanes], static_cast<Acc>(p[i]));
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) lanes[l] = Fold::apply(lanes[l], lanes[l + width]);
    return lanes[0];
  }

  // Reduces `rows` rows of `width` columns.
  [[gnu::noinline]] static void fold_rows(const T* p, int64_t rows, int64_t inner, int64_t width,
                                          Acc* lanes) {
    for (int64_t j = 0; j < width; ++j) lanes[j] = Fold::identity();
    for (int64_t k = 0; k < rows; ++k) {
      const T* q = p + k * inner;
      for (int64_t j = 0; j < width; ++j) lanes[j] = Fold::apply(lanes[j], static_cast<Acc>(q[j]));
    }
  }

  // Columns [begin, end) of one outer slice.
  static void columns(const T* p, int64_t reduced, int64_t inner, int64_t begin, int64_t end,
                      Out* out) {
    for (int64_t c = begin; c < end; c += kWidth) {
      const int64_t width = std::min(kWidth, end - c);
      Total totals[kWidth];
      for (int64_t j = 0; j < width; ++j) totals[j] = static_cast<Total>(Fold::identity());
      for (int64_t r = 0; r < reduced; r += kRows) {
        Acc lanes[kWidth];
        fold_rows(p + r * inner + c, std::min(kRows, reduced - r), inner, width, lanes);
        for (int64_t j = 0; j < width; ++j) totals[j] = Fold::merge(totals[j], lanes[j]);
      }
      for (int64_t j = 0; j < width; ++j) out[c + j] = static_cast<Out>(totals[j]);
    }
  }

  // When few results take many elements each, threads share the blocks of a result. The partial
  // results are merged in the order in which one thread would do it, so the bits are equal.
  static bool shares_blocks(const ReducePlan& plan) {
    constexpr int64_t kEnoughParts = 16;
    const int64_t parts = plan.outer * ((plan.inner + kWidth - 1) / kWidth);
    return parts < kEnoughParts && num_threads() > 1 &&
           plan.outer * plan.reduced * plan.inner >= 4 * kElementGrain;
  }
  static void run_blocks(const ReducePlan& plan, Out* out) {
    const T* data = plan.input.data_as<T>();
    const int64_t inner = plan.inner, size = inner > 1 ? kRows : kBlock;
    const int64_t blocks = (plan.reduced + size - 1) / size;
    const auto partial =
        std::make_unique_for_overwrite<Acc[]>(static_cast<size_t>(plan.outer * blocks * inner));
    const int64_t grain = std::max<int64_t>(1, kElementGrain / (size * inner));
    parallel_for(plan.outer * blocks, grain, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; ++at) {
        const int64_t from = at % blocks * size, count = std::min(size, plan.reduced - from);
        const T* p = data + (at / blocks * plan.reduced + from) * inner;
        Acc* to = partial.get() + at * inner;
        if (inner == 1) to[0] = block(p, count);
        for (int64_t c = 0; inner > 1 && c < inner; c += kWidth) {
          const int64_t width = std::min(kWidth, inner - c);
          Acc lanes[kWidth];
          fold_rows(p + c, count, inner, width, lanes);
          std::copy_n(lanes, width, to + c);
        }
      }
    });
    for (int64_t i = 0; i < plan.outer * inner; ++i) {
      const Acc* from = partial.get() + i / inner * blocks * inner + i % inner;
      Total total = static_cast<Total>(Fold::identity());
      for (int64_t b = 0; b < blocks; ++b) total = Fold::merge(total, from[b * inner]);
      out[i] = static_cast<Out>(total);
    }
  }

  static void run(const ReducePlan& plan, Out* out) {
    if (plan.outer * plan.inner == 0) return;
    if (shares_blocks(plan)) return run_blocks(plan, out);
    const T* data = plan.input.data_as<T>();
    const int64_t row_size = plan.reduced * plan.inner;
    const int64_t grain = std::max<int64_t>(1, kElementGrain / std::max<int64_t>(1, plan.reduced));
    if (plan.inner > 1) {
      parallel_for(plan.outer * plan.inner, grain, [&](int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end;) {
          const int64_t o = at / plan.inner, c = at % plan.inner;
          const int64_t last = std::min(plan.inner, c + (end - at));
          columns(data + o * row_size, plan.reduced, plan.inner, c, last, out + o * plan.inner);
          at += last - c;
        }
      });
      return;
    }
    parallel_for(plan.outer, grain, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o)
        out[o] = static_cast<Out>(row(data + o * plan.reduced, plan.reduced));
    });
  }
};

// The kernel of an operator that reduces the axes of attribute 0 by Folds::Of<element type>. The
// parameter is a class, not a template, because GCC forgets that a template is local to its file.
// `Complex`: the folds also take complex numbers.
template <class Folds, bool Complex = false>
Status reduce_kernel(KernelCtx& ctx) {
  MSJIT_TRY(const ReducePlan plan,
            plan_reduce(ctx.in[0], reduce_axes(ctx.attrs, ctx.in[0].rank())));
  const auto run = [&]<class T>(TypeTag<T>) {
    using Fold = typename Folds::template Of<T>;
    Reducer<T, Fold>::run(plan, ctx.out[0].data_as<typename Fold::Out>());
  };
  if constexpr (Complex)
    dispatch_any_dtype(ctx.in[0].dtype(), run);
  else
    dispatch_dtype(ctx.in[0].dtype(), run);
  return {};
}

}  // namespace msjit
