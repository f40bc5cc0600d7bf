#include "kernels/cpu/softmax.h"

#include <cmath>

#include "kernels/core/checks.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/onednn.h"

namespace msjit::softmax {
namespace {

template <class T>
void line(const T* x, T* y, int64_t length, int64_t stride, bool logarithm) {
  using C = typename ComputeType<T>::type;
  C top = static_cast<C>(x[0]), sum = 0;
  for (int64_t i = 1; i < length; ++i) {
    C value = static_cast<C>(x[i * stride]);
    if (value > top || value != value) top = value;
  }
  for (int64_t i = 0; i < length; ++i) sum += std::exp(static_cast<C>(x[i * stride]) - top);
  C log_sum = std::log(sum);
  for (int64_t i = 0; i < length; ++i) {
    C shifted = static_cast<C>(x[i * stride]) - top;
    y[i * stride] = static_cast<T>(logarithm ? shifted - log_sum : std::exp(shifted) / sum);
  }
}

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
  auto split = layout::split_at(x.shape(), normal_axis(ctx.attrs[0].as_int(), x.rank()));
  if (x.dtype() == DType::kFloat32)
    return onednn::softmax(split.outer, split.length, split.inner, logarithm, x.data_as<float>(),
                           y.data_as<float>());
  dispatch_dtype(x.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (!std::is_integral_v<T>)
      for (int64_t o = 0; o < split.outer; ++o)
        for (int64_t i = 0; i < split.inner; ++i) {
          int64_t at = o * split.length * split.inner + i;
          line(x.data_as<T>() + at, y.data_as<T>() + at, split.length, split.inner, logarithm);
        }
  });
  return {};
}

}  // namespace msjit::softmax
