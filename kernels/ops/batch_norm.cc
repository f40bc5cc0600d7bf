#include "kernels/cpu/batch_norm.h"
#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  MSJIT_OK(batch_norm::check_inputs(ctx));
  ctx.add_output(ctx.in(0).dtype, ctx.in(0).shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  DType stats = batch_norm::stat_dtype(ctx.out[0].dtype());
  MSJIT_TRY(Tensor mean, layout::contiguous_as(ctx.in[3], stats));
  MSJIT_TRY(Tensor variance, layout::contiguous_as(ctx.in[4], stats));
  return batch_norm::run(
      {ctx.in[0], ctx.in[1], ctx.in[2], mean, variance, ctx.attrs[0].as_float(), false},
      ctx.out[0]);
}

Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  const DType x = in[0].meta().dtype, stats = batch_norm::stat_dtype(x);
  const auto a_channel = [&](const Val& v) { return batch_norm::over_channels(v, in[0].rank()); };
  const Val factor = cast(in[1], stats) / sqrt(cast(in[4], stats) + attrs[0].as_float());
  const Val centred = cast(in[0], stats) - a_channel(cast(in[3], stats));
  return {cast(centred * a_channel(factor) + a_channel(cast(in[2], stats)), x)};
}

// With fixed statistics every step is elementwise.
void vjp(Vjp& v) {
  using namespace words;
  using batch_norm::over_channels;
  int rank = v.in(0).rank();
  const IntList axes = batch_norm::axes_of_channel(rank);
  Val rate = rsqrt(v.in(4) + v.attrs[0].as_float());
  Val wide_rate = over_channels(rate, rank);
  Val normal = (v.in(0) - over_channels(v.in(3), rank)) * wide_rate;
  Val scaled = v.grad() * over_channels(v.in(1), rank);
  if (v.needs(0)) v.set_grad(0, scaled * wide_rate);
  if (v.needs(1)) v.set_grad(1, sum(v.grad() * normal, axes));
  if (v.needs(2)) v.set_grad(2, sum(v.grad(), axes));
  if (v.needs(3)) v.set_grad(3, -sum(scaled * wide_rate, axes));
  if (v.needs(4)) v.set_grad(4, -0.5 * sum(scaled * normal, axes) * square(rate));
}

}  // namespace

MSJIT_OP(batch_norm)
    .doc(
        "Normalises each channel (axis 1) of x by a given mean and variance, then scales and "
        "shifts.")
    .signature(
        "x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, variance: Tensor, "
        "epsilon: float = 1e-5")
    .infer(infer)
    .cpu(kernel)
    .traits(kChannels | kBatched | kTotal)
    .composite(composite)
    .vjp(vjp)
    .sample({.shapes = {{2, 3, 2, 2}, {3}, {3}, {3}, {3}}, .low_high = {0.5, 2}})
    .sample({.shapes = {{0, 3}, {3}, {3}, {3}, {3}}, .low_high = {0.5, 2}});

}  // namespace msjit
