#include "kernels/cpu/softmax.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "kernels/core/checks.h"
#include "kernels/cpu/any_float.h"
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

// oneDNN gives a row with NaN or +infinity in it zeros in all other places.
Status run_float(const layout::AxisSplit& split, bool logarithm, const float* x, float* y) {
  MSJIT_OK(onednn::softmax(split.outer, split.length, split.inner, logarithm, x, y));
  int64_t size = split.outer * split.length * split.inner;
  if (split.inner != 1 || !any_of_floats(x, size, [](float v) { return !(v <= FLT_MAX); }))
    return {};
  for (int64_t o = 0; o < split.outer; ++o, y += split.length)
    if (std::any_of(y, y + split.length, [](float v) { return v != v; }))
      std::fill(y, y + split.length, std::numeric_limits<float>::quiet_NaN());
  return {};
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
    return run_float(split, logarithm, x.data_as<float>(), y.data_as<float>());
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
