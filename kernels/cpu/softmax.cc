#include "kernels/cpu/softmax.h"

#include <algorithm>

#include "kernels/core/checks.h"
#include "kernels/core/scalar_math.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/wide_vectors.h"

namespace msjit::softmax {
namespace {

namespace usual {
#define MSJIT_LOOP [[gnu::flatten]]
#include "kernels/cpu/softmax_rows.inc"
#undef MSJIT_LOOP
}  // namespace usual

namespace wide {
#define MSJIT_LOOP MSJIT_WIDE_LOOP
#include "kernels/cpu/softmax_rows.inc"
#undef MSJIT_LOOP
}  // namespace wide

}  // namespace

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_OK(require_float(ctx, x, "x"));
  MSJIT_TRY([[maybe_unused]] int axis, ctx.axis(ctx.attrs[0].as_int(), x.shape.rank()));
  ctx.add_output(x.dtype, x.shape);
  return {};
}

Status run(KernelCtx& ctx, bool logarithm) {
  const Tensor& y = ctx.out[0];
  if (y.numel() == 0) return {};
  MSJIT_TRY(Tensor x, ctx.in[0].to_contiguous());
  const auto split = layout::split_at(x.shape(), normal_axis(ctx.attrs[0].as_int(), x.rank()));
  dispatch_dtype(x.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (!std::is_integral_v<T>) {
      if (has_wide_vectors())
        wide::Rows<T>::run(split, x.data_as<T>(), y.data_as<T>(), logarithm);
      else
        usual::Rows<T>::run(split, x.data_as<T>(), y.data_as<T>(), logarithm);
    }
  });
  return {};
}

}  // namespace msjit::softmax
