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

static void run_f64(const Problem& p, const Tensor& x, const Tensor& scale, const Tensor& bias,
                    const Tensor& y) {
  int64_t batch = x.dim(0), channels = x.dim(1);
  norm::Grid grid = norm::batch_grid(batch, channels, x.numel() / (batch * channels));
  double *mean = p.mean.data_as<double>(), *variance = p.variance.data_as<double>();
  if (p.training) norm::statistics(grid, x.data_as<double>(), mean, variance);
  norm::forward(grid, p.epsilon, x.data_as<double>(), mean, variance, scale.data_as<double>(),
                bias.data_as<double>(), y.data_as<double>());
}

Status run(const Problem& p, const Tensor& y) {
  if (y.numel() == 0) return {};
  DType compute = stat_dtype(y.dtype());
  MSJIT_TRY(Tensor x, layout::contiguous_as(p.x, compute));
  MSJIT_TRY(Tensor scale, layout::contiguous_as(p.scale, compute));
  MSJIT_TRY(Tensor bias, layout::contiguous_as(p.bias, compute));
  if (compute == DType::kFloat64) return run_f64(p, x, scale, bias, y), Status();
  Tensor target = y;
  if (y.dtype() != compute) {
    MSJIT_TRY(target, Tensor::empty(compute, y.shape()));
  }
  onednn::BatchNorm problem{x.dim(0), x.dim(1), x.numel() / (x.dim(0) * x.dim(1)),
                            static_cast<float>(p.epsilon), p.training};
  MSJIT_OK(onednn::batch_norm(problem, x.data_as<float>(), scale.data_as<float>(),
                              bias.data_as<float>(), p.mean.data_as<float>(),
                              p.variance.data_as<float>(), target.data_as<float>()));
  if (target.same(y)) return {};
  MSJIT_TRY(Tensor narrow, layout::cast_to(target, y.dtype()));
  copy_strided(narrow, y);
  return {};
}

Val over_channels(const Val& v, int rank) {
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(i == 1 ? v.shape()[0] : 1);
  return words::reshape(v, shape);
}

}  // namespace msjit::batch_norm
