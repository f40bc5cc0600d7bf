#include <algorithm>

#include "kernels/core/checks.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/parallel.h"

namespace msjit {

namespace {

Status infer(InferCtx& ctx) {
  const Shape &sorted = ctx.in(0).shape, &values = ctx.in(1).shape;
  if (sorted.rank() == 0)
    return value_error("[{}] sorted has a wrong rank, got 0, expected at least 1", ctx.name());
  if (sorted.rank() > 1) {
    MSJIT_OK(require_rank(ctx, ctx.in(1), sorted.rank(), "values"));
    for (int i = 0; i + 1 < sorted.rank(); ++i)
      MSJIT_OK(ctx.require_eq(values[i], sorted[i], "leading sizes of values"));
  }
  ctx.add_output(DType::kInt64, values);
  return {};
}

// Values are compared as float64 when either is a float, otherwise as int64.
template <class T>
Status search(KernelCtx& ctx, DType dtype) {
  MSJIT_TRY(const Tensor sorted, layout::contiguous_as(ctx.in[0], dtype));
  MSJIT_TRY(const Tensor values, layout::contiguous_as(ctx.in[1], dtype));
  const bool right = ctx.attrs[0].as_bool();
  const int64_t length = sorted.dim(sorted.rank() - 1), count = values.numel();
  const int64_t per_row = sorted.rank() == 1 ? count : values.dim(values.rank() - 1);
  const T *from = sorted.data_as<T>(), *wanted = values.data_as<T>();
  int64_t* out = ctx.out[0].data_as<int64_t>();
  const auto before = [](T a, T b) { return a < b || (b != b && a == a); };  // NaN comes last
  parallel_for(count, layout::grain_for(32), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* row = from + i / per_row * length;
      const T* at = right ? std::upper_bound(row, row + length, wanted[i], before)
                          : std::lower_bound(row, row + length, wanted[i], before);
      out[i] = at - row;
    }
  });
  return {};
}

}  // namespace

MSJIT_OP(searchsorted)
    .doc(
        "Where values would go into sorted rows (the last axis): before equal elements, or after "
        "them when `right`.")
    .signature("sorted: Tensor, values: Tensor, right: bool = False")
    .infer(infer)
    .cpu([](KernelCtx& ctx) -> Status {
      if (ctx.out[0].numel() == 0) return {};
      const bool floats = is_float(ctx.in[0].dtype()) || is_float(ctx.in[1].dtype());
      return floats ? search<double>(ctx, DType::kFloat64) : search<int64_t>(ctx, DType::kInt64);
    })
    .no_grad()
    .sample({.shapes = {{5}, {2, 3}}, .low_high = {0, 3}});

}  // namespace msjit
