#include "kernels/core/checks.h"
#include "kernels/core/norm_words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/norm.h"
#include "kernels/cpu/onednn.h"

namespace msjit {
namespace {

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
  MSJIT_OK(require_shape(ctx, ctx.in(1), stats, "mean"));
  MSJIT_OK(require_shape(ctx, ctx.in(2), stats, "variance"));
  MSJIT_OK(require_shape(ctx, ctx.in(3), x.shape, "dy"));
  if (ctx.has(4)) MSJIT_OK(require_shape(ctx, ctx.in(4), params, "weight"));
  DType param = ctx.has(4) ? ctx.in(4).dtype : x.dtype;
  ctx.add_output(x.dtype, x.shape);
  ctx.add_output(param, params);
  ctx.add_output(param, params);
  return {};
}

Status compute(const Tensor (&in)[5], const Tensor (&out)[3], double epsilon) {
  int64_t rows = in[1].numel(), width = in[0].numel() / rows;
  if (in[0].dtype() == DType::kFloat64) {
    const double* p[5];
    for (int i = 0; i < 5; ++i) p[i] = in[i].data_as<double>();
    layout::fill_zero(out[1]);
    layout::fill_zero(out[2]);
    norm::row_backward({rows, width}, epsilon, p[0], p[1], p[2], p[4], p[3],
                       out[0].data_as<double>(), out[1].data_as<double>(),
                       out[2].data_as<double>());
    return {};
  }
  const float* p[5];
  for (int i = 0; i < 5; ++i) p[i] = in[i].data_as<float>();
  return onednn::layer_norm_grad(rows, width, static_cast<float>(epsilon), p[0], p[4], p[1], p[2],
                                 p[3], out[0].data_as<float>(), out[1].data_as<float>(),
                                 out[2].data_as<float>());
}

Status kernel(KernelCtx& ctx) {
  if (ctx.in[0].numel() == 0) {
    for (Tensor& out : ctx.out) layout::fill_zero(out);
    return {};
  }
  DType dtype = ctx.in[0].dtype() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  Tensor in[5], out[3];
  for (size_t i = 0; i < 5; ++i) {
    Tensor source = i < ctx.in.size() ? ctx.in[i] : Tensor();
    if (!source) source = layout::broadcast(Tensor::scalar_of(dtype, 1), ctx.out[1].shape());
    MSJIT_TRY(in[i], layout::contiguous_as(source, dtype));
  }
  for (int i = 0; i < 3; ++i) {
    out[i] = ctx.out[i];
    if (out[i].dtype() == dtype) continue;
    MSJIT_TRY(out[i], Tensor::empty(dtype, ctx.out[i].shape()));
  }
  MSJIT_OK(compute(in, out, ctx.attrs[1].as_float()));
  for (int i = 0; i < 3; ++i) {
    if (out[i].same(ctx.out[i])) continue;
    MSJIT_TRY(Tensor narrow, layout::cast_to(out[i], ctx.out[i].dtype()));
    copy_strided(narrow, ctx.out[i]);
  }
  return {};
}

// With n the normalised x, r = 1 / sqrt(variance + epsilon) and g = dy weight: dx = r (g - mean(g)
// - n mean(g n)), dweight = sum(dy n), dbias = sum(dy).
Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  const Val x = wide(in[0]), dy = wide(in[3]);
  const bool has_weight = in.size() > 4 && in[4];
  const IntList axes = norm_words::last_axes(x.rank(), attrs[0].as_int());
  const Val r = rsqrt(in[2] + attrs[1].as_float()), n = (x - in[1]) * r;
  const Val g = has_weight ? dy * wide(in[4]) : dy;
  const Val dx = r * (g - mean(g, axes, true) - n * mean(g * n, axes, true));
  IntList rows;
  for (int i = 0; i < x.rank() - static_cast<int>(axes.size()); ++i) rows.push_back(i);
  const auto over_rows = [&](const Val& v) { return rows.empty() ? v : sum(v, rows); };
  const DType param = has_weight ? in[4].dtype() : in[0].dtype();
  return {cast(dx, in[0].dtype()), cast(over_rows(dy * n), param), cast(over_rows(dy), param)};
}

// mean and variance are x's own: what depends on them is counted in the gradient of x.
void vjp(Vjp& v) {
  using namespace words;
  int rank = v.in(0).rank(), kept = rank - static_cast<int>(v.attrs[0].as_int());
  IntList stats, params;
  for (int i = 0; i < rank; ++i) (i < kept ? params : stats).push_back(i);
  bool has_weight = v.inputs.size() > 4 && v.in(4);
  Val weight = has_weight ? v.in(4) : number(v.sink, 1, v.in(0).dtype());
  norm_words::Result grads = norm_words::second_order(
      {v.in(0), weight, v.in(3), stats, params, v.attrs[1].as_float()},
      {v.has_grad(0) ? v.grad(0) : Val(), v.has_grad(1) ? v.grad(1) : Val(),
       v.has_grad(2) ? v.grad(2) : Val()});
  if (v.needs(0) && grads.x) v.set_grad(0, grads.x);
  if (v.needs(3) && grads.g) v.set_grad(3, grads.g);
  if (has_weight && v.needs(4) && grads.scale) v.set_grad(4, reshape(grads.scale, v.in(4).shape()));
}

}  // namespace

MSJIT_OP(layer_norm_grad)
    .doc("Gradient of layer_norm: dx, dweight and dbias from dy and the mean and variance of x.")
    .signature(
        "x: Tensor, mean: Tensor, variance: Tensor, dy: Tensor, weight: Tensor? = None, "
        "num_axes: int = 1, epsilon: float = 1e-5")
    .outputs(3)
    .infer(infer)
    .cpu(kernel)
    .composite(composite)
    .traits(kRows)
    .vjp(vjp);

}  // namespace msjit
