#include "kernels/core/checks.h"
#include "kernels/core/norm_words.h"
#include "kernels/core/words.h"
#include "kernels/cpu/batch_norm.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_OK(require_float(ctx, x, "x"));
  if (x.shape.rank() < 2)
    return value_error("[{}] x has a wrong rank, got {}, expected at least 2", ctx.name(),
                       x.shape.rank());
  for (int i = 1; i < 4; ++i) MSJIT_OK(require_shape(ctx, ctx.in(i), {x.shape[1]}, "a parameter"));
  MSJIT_OK(require_shape(ctx, ctx.in(4), x.shape, "dy"));
  ctx.add_output(x.dtype, x.shape);
  ctx.add_output(ctx.in(1).dtype, ctx.in(1).shape);
  ctx.add_output(ctx.in(1).dtype, ctx.in(1).shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  if (ctx.in[0].numel() == 0) {
    for (Tensor& out : ctx.out) layout::fill_zero(out);
    return {};
  }
  DType dtype = ctx.in[0].dtype() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  Tensor in[5], out[3];
  for (int i = 0; i < 5; ++i) {
    MSJIT_TRY(in[i], layout::contiguous_as(ctx.in[i], dtype));
  }
  for (int i = 0; i < 3; ++i) {
    out[i] = ctx.out[i];
    if (out[i].dtype() == dtype) continue;
    MSJIT_TRY(out[i], Tensor::empty(dtype, ctx.out[i].shape()));
  }
  MSJIT_OK(batch_norm::gradient(in, out, ctx.attrs[0].as_float()));
  for (int i = 0; i < 3; ++i) {
    if (out[i].same(ctx.out[i])) continue;
    MSJIT_TRY(Tensor narrow, layout::cast_to(out[i], ctx.out[i].dtype()));
    copy_strided(narrow, ctx.out[i]);
  }
  return {};
}

Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  const DType dtype = in[0].meta().dtype, stats = batch_norm::stat_dtype(dtype);
  const DType scale_dtype = in[1].meta().dtype;
  const int rank = in[0].rank();
  const AttrValue axes(batch_norm::axes_of_channel(rank));
  const auto a_channel = [&](const Val& v) {
    return batch_norm::over_channels(cast(v, stats), rank);
  };
  const Shape& shape = in[0].shape();
  const double count = static_cast<double>(shape.numel()) / static_cast<double>(shape[1]);
  const Val dy = cast(in[4], stats), centred = cast(in[0], stats) - a_channel(in[2]);
  const Val rate = 1.0 / sqrt(a_channel(in[3]) + attrs[0].as_float());
  const Val total = sum(dy, axes, true), dot = sum(dy * centred, axes, true);
  const Val slope = dot / count * rate * rate;
  const Val dx = a_channel(in[1]) * rate * (dy - total / count - centred * slope);
  const auto result = [&](const Val& v) { return cast(reshape(v, in[1].shape()), scale_dtype); };
  return {cast(dx, dtype), result(dot * rate), result(total)};
}

// mean and variance are computed from x, so the gradient of x includes what goes through them.
void vjp(Vjp& v) {
  int rank = v.in(0).rank();
  IntList axes{0};
  Shape wide;
  for (int i = 0; i < rank; ++i) {
    wide.push_back(i == 1 ? v.in(0).shape()[1] : 1);
    if (i > 1) axes.push_back(i);
  }
  auto spread = [&](int i) { return v.has_grad(i) ? words::reshape(v.grad(i), wide) : Val(); };
  norm_words::Result grads = norm_words::second_order(
      {v.in(0), words::reshape(v.in(1), wide), v.in(4), axes, axes, v.attrs[0].as_float()},
      {v.has_grad(0) ? v.grad(0) : Val(), spread(1), spread(2)});
  if (v.needs(0) && grads.x) v.set_grad(0, grads.x);
  if (v.needs(1) && grads.scale) v.set_grad(1, words::reshape(grads.scale, v.in(1).shape()));
  if (v.needs(4) && grads.g) v.set_grad(4, grads.g);
}

}  // namespace

MSJIT_OP(batch_norm_grad)
    .doc(
        "Gradient of batch_norm in training: dx, dscale and dbias from dy and the mean and "
        "variance of x.")
    .signature(
        "x: Tensor, scale: Tensor, mean: Tensor, variance: Tensor, dy: Tensor, "
        "epsilon: float = 1e-5")
    .outputs(3)
    .infer(infer)
    .cpu(kernel)
    .traits(kChannels | kTotal)
    .composite(composite)
    .vjp(vjp);

}  // namespace msjit
