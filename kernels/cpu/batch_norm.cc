#include "kernels/cpu/batch_norm.h"

#include "kernels/core/checks.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/norm.h"
#include "kernels/cpu/onednn.h"

namespace msjit::batch_norm {

Status check_inputs(const InferCtx& ctx) {
  static constexpr const char* kNames[] = {"x", "scale", "bias", "mean", "variance"};
  const Meta& x = ctx.in(0);
  MSJIT_OK(require_float(ctx, x, "x"));
  if (x.shape.rank() < 2)
    return value_error("[{}] x has a wrong rank, got {}, expected at least 2", ctx.name(),
                       x.shape.rank());
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    MSJIT_OK(require_float(ctx, ctx.in(i), kNames[i]));
    MSJIT_OK(require_shape(ctx, ctx.in(i), {x.shape[1]}, kNames[i]));
  }
  return {};
}

// With fewer elements per run, loops over channels have too little to do at a time.
constexpr int64_t kLongRun = 16;

template <class T>
static void run_loops(const Problem& p, const Tensor& x, const Tensor& scale, const Tensor& bias,
                      const Tensor& y) {
  norm::Channels c{x.dim(0), x.dim(1), x.numel() / (x.dim(0) * x.dim(1))};
  T *mean = p.mean.data_as<T>(), *variance = p.variance.data_as<T>();
  if (p.training) norm::channel_statistics(c, x.data_as<T>(), mean, variance);
  norm::channel_forward(c, static_cast<T>(p.epsilon), x.data_as<T>(), mean, variance,
                        scale.data_as<T>(), bias.data_as<T>(), y.data_as<T>());
}

static Status run_f32(const Problem& p, const Tensor& x, const Tensor& scale, const Tensor& bias,
                      const Tensor& y) {
  int64_t inner = x.numel() / (x.dim(0) * x.dim(1));
  if (inner >= kLongRun) return run_loops<float>(p, x, scale, bias, y), Status();
  onednn::BatchNorm problem{x.dim(0), x.dim(1), inner, static_cast<float>(p.epsilon), p.training};
  return onednn::batch_norm(problem, x.data_as<float>(), scale.data_as<float>(),
                            bias.data_as<float>(), p.mean.data_as<float>(),
                            p.variance.data_as<float>(), y.data_as<float>());
}

Status run(const Problem& p, const Tensor& y) {
  if (y.numel() == 0) return {};
  DType compute = stat_dtype(y.dtype());
  MSJIT_TRY(Tensor x, layout::contiguous_as(p.x, compute));
  MSJIT_TRY(Tensor scale, layout::contiguous_as(p.scale, compute));
  MSJIT_TRY(Tensor bias, layout::contiguous_as(p.bias, compute));
  if (compute == DType::kFloat64) return run_loops<double>(p, x, scale, bias, y), Status();
  Tensor target = y;
  if (y.dtype() != compute) {
    MSJIT_TRY(target, Tensor::empty(compute, y.shape()));
  }
  MSJIT_OK(run_f32(p, x, scale, bias, target));
  if (target.same(y)) return {};
  MSJIT_TRY(Tensor narrow, layout::cast_to(target, y.dtype()));
  copy_strided(narrow, y);
  return {};
}

template <class T>
static void gradient_loops(const Tensor (&in)[5], const Tensor (&out)[3], double epsilon) {
  const Tensor& x = in[0];
  norm::Channels c{x.dim(0), x.dim(1), x.numel() / (x.dim(0) * x.dim(1))};
  norm::channel_backward(c, static_cast<T>(epsilon), x.data_as<T>(), in[2].data_as<T>(),
                         in[3].data_as<T>(), in[1].data_as<T>(), in[4].data_as<T>(),
                         out[0].data_as<T>(), out[1].data_as<T>(), out[2].data_as<T>());
}

Status gradient(const Tensor (&in)[5], const Tensor (&out)[3], double epsilon) {
  const Tensor& x = in[0];
  int64_t inner = x.numel() / (x.dim(0) * x.dim(1));
  if (x.dtype() == DType::kFloat64) return gradient_loops<double>(in, out, epsilon), Status();
  if (inner >= kLongRun) return gradient_loops<float>(in, out, epsilon), Status();
  const float* p[5];
  for (int i = 0; i < 5; ++i) p[i] = in[i].data_as<float>();
  onednn::BatchNorm problem{x.dim(0), x.dim(1), inner, static_cast<float>(epsilon), true};
  return onednn::batch_norm_grad(problem, p[0], p[1], p[2], p[3], p[4], out[0].data_as<float>(),
                                 out[1].data_as<float>(), out[2].data_as<float>());
}

Val over_channels(const Val& v, int rank) {
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(i == 1 ? v.shape()[0] : 1);
  return words::reshape(v, shape);
}

IntList axes_of_channel(int rank) {
  IntList axes{0};
  for (int i = 2; i < rank; ++i) axes.push_back(i);
  return axes;
}

}  // namespace msjit::batch_norm
