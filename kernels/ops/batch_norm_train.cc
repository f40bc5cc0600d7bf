#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/batch_norm.h"

namespace msjit {

extern const OpDef op_batch_norm_grad;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_OK(batch_norm::check_inputs(ctx));
  if (x.shape[1] > 0 && x.shape.numel() == 0)
    return value_error("[{}] no values to take statistics of, got shape {}", ctx.name(),
                       x.shape.str());
  DType stats = batch_norm::stat_dtype(x.dtype);
  ctx.add_output(x.dtype, x.shape);
  ctx.add_output(stats, {x.shape[1]});
  ctx.add_output(stats, {x.shape[1]});
  return {};
}

Status kernel(KernelCtx& ctx) {
  return batch_norm::run(
      {ctx.in[0], ctx.in[1], ctx.in[2], ctx.out[1], ctx.out[2], ctx.attrs[0].as_float(), true},
      ctx.out[0]);
}

Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  const DType dtype = in[0].meta().dtype, stats = batch_norm::stat_dtype(dtype);
  const int rank = in[0].rank();
  const AttrValue axes(batch_norm::axes_of_channel(rank));
  const auto a_channel = [&](const Val& v) {
    return batch_norm::over_channels(cast(v, stats), rank);
  };
  const Val x = cast(in[0], stats), centre = mean(x, axes, true), centred = x - centre;
  const Val variance = mean(square(centred), axes, true);
  const Val factor = a_channel(in[1]) / sqrt(variance + attrs[0].as_float());
  const Shape channels = in[1].shape();
  return {cast(centred * factor + a_channel(in[2]), dtype), reshape(centre, channels),
          reshape(variance, channels)};
}

void vjp(Vjp& v) {
  using namespace words;
  Val x = v.in(0);
  Val dx;
  if (v.has_grad(0)) {
    const Val inputs[] = {x, v.in(1), v.out(1), v.out(2), v.grad()};
    Vals grads = call_multi(v.sink, op_batch_norm_grad, inputs, v.attrs);
    if (grads.size() != 3) return;
    dx = grads[0];
    v.set_grad(1, grads[1]);
    v.set_grad(2, grads[2]);
  }
  auto add_to = [&](const Val& term) { dx = dx ? dx + term : term; };
  double count =
      x.shape()[1] ? static_cast<double>(x.shape().numel()) / static_cast<double>(x.shape()[1]) : 1;
  int rank = x.rank();
  if (v.has_grad(1)) add_to(batch_norm::over_channels(v.grad(1), rank) / count + zeros_like(x));
  if (v.has_grad(2)) {
    Val centred = x - batch_norm::over_channels(v.out(1), rank);
    add_to(batch_norm::over_channels(v.grad(2), rank) * centred * (2.0 / count));
  }
  if (dx) v.set_grad(0, dx);
}

}  // namespace

MSJIT_OP(batch_norm_train)
    .doc(
        "Normalises each channel (axis 1) of x by the batch's mean and biased variance, then "
        "scales "
        "and shifts. Returns y, the mean and the variance.")
    .signature("x: Tensor, scale: Tensor, bias: Tensor, epsilon: float = 1e-5")
    .outputs(3)
    .infer(infer)
    .cpu(kernel)
    .traits(kChannels | kTotal)
    .composite(composite)
    .vjp(vjp)
    .sample({.shapes = {{4, 3, 2, 2}, {3}, {3}}})
    .sample({.shapes = {{4, 3}, {3}, {3}}, .attrs = "epsilon=0.001"});

}  // namespace msjit
