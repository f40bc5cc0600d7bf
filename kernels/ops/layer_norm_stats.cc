#include "kernels/core/checks.h"
#include "kernels/core/norm_words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/norm.h"
#include "kernels/cpu/onednn.h"

namespace msjit {

extern const OpDef op_layer_norm_grad;

namespace {

DType stat_dtype(DType x) { return x == DType::kFloat64 ? x : DType::kFloat32; }

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  int64_t axes = ctx.attrs[0].as_int();
  int rank = x.shape.rank();
  MSJIT_OK(require_float(ctx, x, "x"));
  if (axes < 1 || axes > rank)
    return value_error("[{}] num_axes out of range, got {}, expected 1 to {}", ctx.name(), axes,
                       rank);
  Shape stats = x.shape, params;
  for (int i = rank - static_cast<int>(axes); i < rank; ++i) {
    stats[i] = 1;
    params.push_back(x.shape[i]);
  }
  for (int i = 1; i < 3; ++i) {
    if (!ctx.has(i)) continue;
    MSJIT_OK(require_float(ctx, ctx.in(i), i == 1 ? "weight" : "bias"));
    MSJIT_OK(require_shape(ctx, ctx.in(i), params, i == 1 ? "weight" : "bias"));
  }
  if (stats.numel() > 0 && x.shape.numel() == 0)
    return value_error("[{}] no values to take statistics of, got shape {}", ctx.name(),
                       x.shape.str());
  ctx.add_output(x.dtype, x.shape);
  ctx.add_output(stat_dtype(x.dtype), stats);
  ctx.add_output(stat_dtype(x.dtype), stats);
  return {};
}

// A parameter in the compute dtype; ones or zeros where it is absent.
Result<Tensor> parameter(std::span<const Tensor> in, size_t i, DType dtype, int64_t width) {
  if (i < in.size() && in[i]) return layout::contiguous_as(in[i], dtype);
  Tensor value = Tensor::scalar_of(dtype, i == 1 ? 1 : 0);
  return layout::broadcast(value, {width}).to_contiguous();
}

Status kernel(KernelCtx& ctx) {
  const Tensor& y = ctx.out[0];
  if (y.numel() == 0) return {};
  DType dtype = stat_dtype(y.dtype());
  int64_t rows = ctx.out[1].numel(), width = y.numel() / rows;
  double epsilon = ctx.attrs[1].as_float();
  MSJIT_TRY(Tensor x, layout::contiguous_as(ctx.in[0], dtype));
  MSJIT_TRY(Tensor weight, parameter(ctx.in, 1, dtype, width));
  MSJIT_TRY(Tensor bias, parameter(ctx.in, 2, dtype, width));
  const Tensor &mean = ctx.out[1], &variance = ctx.out[2];
  if (dtype == DType::kFloat64) {
    norm::Rows grid{rows, width};
    norm::row_statistics(grid, x.data_as<double>(), mean.data_as<double>(),
                         variance.data_as<double>());
    norm::row_forward(grid, epsilon, x.data_as<double>(), mean.data_as<double>(),
                      variance.data_as<double>(), weight.data_as<double>(), bias.data_as<double>(),
                      y.data_as<double>());
    return {};
  }
  Tensor target = y;
  if (y.dtype() != dtype) {
    MSJIT_TRY(target, Tensor::empty(dtype, y.shape()));
  }
  MSJIT_OK(onednn::layer_norm(rows, width, static_cast<float>(epsilon), x.data_as<float>(),
                              weight.data_as<float>(), bias.data_as<float>(), mean.data_as<float>(),
                              variance.data_as<float>(), target.data_as<float>()));
  if (target.same(y)) return {};
  MSJIT_TRY(Tensor narrow, layout::cast_to(target, y.dtype()));
  copy_strided(narrow, y);
  return {};
}

Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  const Val x = wide(in[0]);
  const IntList axes = norm_words::last_axes(x.rank(), attrs[0].as_int());
  const Val average = mean(x, axes, true), centred = x - average;
  const Val variance = mean(square(centred), axes, true);
  Val y = centred * rsqrt(variance + attrs[1].as_float());
  if (in.size() > 1 && in[1]) y = y * wide(in[1]);
  if (in.size() > 2 && in[2]) y = y + wide(in[2]);
  return {cast(y, in[0].dtype()), average, variance};
}

void vjp(Vjp& v) {
  using namespace words;
  Val x = v.in(0), dx;
  bool has_weight = v.inputs.size() > 1 && v.in(1), has_bias = v.inputs.size() > 2 && v.in(2);
  if (v.has_grad(0)) {
    Val weight = has_weight ? v.in(1) : Val();
    const Val inputs[] = {x, v.out(1), v.out(2), v.grad(), weight};
    Vals grads = call_multi(v.sink, op_layer_norm_grad, inputs, v.attrs);
    if (grads.size() != 3) return;
    dx = grads[0];
    if (has_weight) v.set_grad(1, grads[1]);
    if (has_bias) v.set_grad(2, grads[2]);
  }
  auto add_to = [&](const Val& term) { dx = dx ? dx + term : term; };
  int64_t rows = v.out(1).shape().numel();
  double count = rows ? static_cast<double>(x.shape().numel() / rows) : 1;
  if (v.has_grad(1)) add_to(v.grad(1) / count + zeros_like(x));
  if (v.has_grad(2)) add_to(v.grad(2) * (x - v.out(1)) * (2.0 / count));
  if (dx) v.set_grad(0, dx);
}

}  // namespace

MSJIT_OP(layer_norm_stats)
    .doc(
        "layer_norm over the last num_axes axes, with the mean and biased variance as further "
        "results that keep those axes as size one.")
    .signature(
        "x: Tensor, weight: Tensor? = None, bias: Tensor? = None, num_axes: int = 1, "
        "epsilon: float = 1e-5")
    .outputs(3)
    .infer(infer)
    .cpu(kernel)
    .composite(composite)
    .traits(kRows)
    .vjp(vjp)
    .sample({.shapes = {{3, 5}, {5}, {5}}})
    .sample({.shapes = {{2, 3, 4}, {3, 4}, {3, 4}}, .attrs = "num_axes=2, epsilon=0.001"})
    .sample({.shapes = {{3, 5}}});

}  // namespace msjit
