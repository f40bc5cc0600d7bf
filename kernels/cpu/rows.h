// Operators over rows (softmax, layer normalisation), each from one description: a class with
// `template <class R> static void run(R& r)`, which computes the results of a row `r`. With a
// native row it is the eager kernel. With a graph row it is the operator's composite, from which
// fused kernels are made. A row offers:
// - in(k), in_once(k): input k along the row; the single number of input k for the row
// - number(k): attribute k
// - map(f, v...): f(m, v...) element by element
// - map_given(k, f, v): f(m, v, input k), or v when that input is absent
// - once(f, folded...): map() for values that are one number per row
// - max(v), sum(v), mean(v): over the row
// - sum_kept(v): the sum, and v itself, which is not computed again when it is used again
// - means(v, w): both means, in one walk
// - out(v...): results 0 and on; over_rows(v) marks one that is summed over the rows
// - out_once(k, folded): a result that is one number per row
#pragma once

#include <array>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

#include "kernels/core/checks.h"
#include "kernels/core/scalar_math.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/wide_vectors.h"

namespace msjit::rows {

inline constexpr int kRowLanes = 32;
inline constexpr int kShortRow = 48;  // rows up to this length are computed several at a time

// Contiguous memory, and the number of elements from one row to the next: 0 when all rows read the
// same elements, 1 when each row has one number.
template <class T>
struct RowOperands {
  const T* in[5] = {};
  int64_t in_step[5] = {};
  T* out[3] = {};
  int64_t out_step[3] = {};
  double number = 0;

  void set_in(int k, const Tensor& t, int64_t step) {
    in[k] = t.data_as<T>();
    in_step[k] = step;
  }
  void set_out(int k, const Tensor& t, int64_t step) {
    out[k] = t.data_as<T>();
    out_step[k] = step;
  }
};

namespace usual {
#define MSJIT_LOOP [[gnu::flatten]]
#include "kernels/cpu/row_loops.inc"
#undef MSJIT_LOOP
}  // namespace usual

namespace wide {
#define MSJIT_LOOP MSJIT_WIDE_LOOP
#include "kernels/cpu/row_loops.inc"
#undef MSJIT_LOOP
}  // namespace wide

// The maths that descriptions use, for graph values.
struct ValMath {
  static Val exp(const Val& x) { return words::exp(x); }
  static Val log(const Val& x) { return words::log(x); }
};
inline Val rsqrt(ValMath, const Val& x) { return words::rsqrt(x); }
template <class M, class T>
Num<T> rsqrt(M m, Num<T> x) {
  return m.constant(x, 1) / m.sqrt(x);
}

class GraphRow {
 public:
  // `axes`: the reduced axes. `result`: the dtype of each result.
  GraphRow(std::span<const Val> in, const Attrs& attrs, IntList axes, std::span<const DType> result)
      : in_(in), attrs_(attrs), axes_(std::move(axes)), dtypes_(result), results_(result.size()) {}
  Vals take() { return std::move(results_); }

  Val in(int k) const { return words::wide(in_[static_cast<size_t>(k)]); }
  Val in_once(int k) const { return in_[static_cast<size_t>(k)]; }
  double number(int k) const { return attrs_[k].as_float(); }
  template <class F, class... A>
  Val map(F f, const A&... args) const {
    return f(ValMath(), args...);
  }
  template <class F>
  Val map_given(int k, F f, const Val& v) const {
    const auto i = static_cast<size_t>(k);
    return i < in_.size() && in_[i] ? f(ValMath(), v, in(k)) : v;
  }
  template <class F, class... A>
  Val once(F f, const A&... args) const {
    return f(ValMath(), args...);
  }
  Val max(const Val& v) const { return words::max(v, axes_, true); }
  Val sum(const Val& v) const { return words::sum(v, axes_, true); }
  Val mean(const Val& v) const { return words::mean(v, axes_, true); }
  std::pair<Val, Val> sum_kept(const Val& v) const { return {sum(v), v}; }
  std::pair<Val, Val> means(const Val& v, const Val& w) const { return {mean(v), mean(w)}; }
  template <class... V>
  void out(const V&... v) {
    int k = 0;
    (out_once(k++, v), ...);
  }
  void out_once(int k, const Val& v) {
    results_[static_cast<size_t>(k)] = words::cast(v, dtypes_[static_cast<size_t>(k)]);
  }
  Val over_rows(const Val& v) const {
    IntList rows;
    for (int i = 0; i < v.rank() - static_cast<int>(axes_.size()); ++i) rows.push_back(i);
    return rows.empty() ? v : words::sum(v, rows);
  }

 private:
  std::span<const Val> in_;
  const Attrs& attrs_;
  const IntList axes_;
  std::span<const DType> dtypes_;
  Vals results_;
};

// The composite of a description.
template <class Maths>
Vals composite(std::span<const Val> in, const Attrs& attrs, IntList axes,
               std::initializer_list<DType> results) {
  GraphRow row(in, attrs, std::move(axes), {results.begin(), results.size()});
  Maths::run(row);
  return row.take();
}

// Rows [from, to) of `n` elements.
template <class Maths, class T>
void run_range(const RowOperands<T>& operands, int64_t n, int64_t from, int64_t to) {
  if (has_wide_vectors())
    wide::RowLoops<Maths, T>::rows(operands, n, from, to);
  else
    usual::RowLoops<Maths, T>::rows(operands, n, from, to);
}

// `work`: how many additions the work per element is worth.
template <class Maths, class T>
void run_rows(const RowOperands<T>& operands, int64_t rows, int64_t n, int64_t work) {
  parallel_for(rows, layout::grain_for(work * n),
               [&](int64_t from, int64_t to) { run_range<Maths, T>(operands, n, from, to); });
}

// Along an axis of an array, with one input and one result.
template <class Maths, class T>
void run_along(const layout::AxisSplit& split, const T* x, T* y) {
  constexpr int64_t kWork = 4;  // of an exponential
  const bool wider = has_wide_vectors();
  const int64_t n = split.length, slab = n * split.inner;
  const auto columns =
      wider ? wide::RowLoops<Maths, T>::columns : usual::RowLoops<Maths, T>::columns;
  const auto short_rows =
      wider ? wide::RowLoops<Maths, T>::short_rows : usual::RowLoops<Maths, T>::short_rows;
  if (split.inner == 1 && (n > kShortRow || split.outer == 1)) {
    RowOperands<T> operands;
    operands.in[0] = x;
    operands.out[0] = y;
    operands.in_step[0] = operands.out_step[0] = n;
    return run_rows<Maths, T>(operands, split.outer, n, kWork);
  }
  const int64_t grain = layout::grain_for(kWork * n * kRowLanes);
  if (split.inner == 1) {
    parallel_for((split.outer + kRowLanes - 1) / kRowLanes, grain, [&](int64_t from, int64_t to) {
      for (int64_t at = from * kRowLanes; at < std::min(to * kRowLanes, split.outer);
           at += kRowLanes)
        short_rows(x + at * n, y + at * n, n, std::min<int64_t>(kRowLanes, split.outer - at));
    });
    return;
  }
  const int64_t tiles = (split.inner + kRowLanes - 1) / kRowLanes;
  parallel_for(split.outer * tiles, grain, [&](int64_t from, int64_t to) {
    for (int64_t tile = from; tile < to; ++tile) {
      const int64_t column = tile % tiles * kRowLanes, at = tile / tiles * slab + column;
      const int width = static_cast<int>(std::min<int64_t>(kRowLanes, split.inner - column));
      columns(x + at, y + at, n, split.inner, width);
    }
  });
}

// The infer rule and the kernel of an operator along the axis that attribute 0 names.
Status infer_along(InferCtx& ctx);
template <class Maths>
Status kernel_along(KernelCtx& ctx) {
  const Tensor& y = ctx.out[0];
  if (y.numel() == 0) return {};
  MSJIT_TRY(Tensor x, ctx.in[0].to_contiguous());
  const auto split = layout::split_at(x.shape(), normal_axis(ctx.attrs[0].as_int(), x.rank()));
  dispatch_dtype(x.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (!std::is_integral_v<T>)
      run_along<Maths, T>(split, x.data_as<T>(), y.data_as<T>());
  });
  return {};
}

}  // namespace msjit::rows
