#include "kernels/core/checks.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_layer_norm_stats;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  int64_t groups = ctx.attrs[0].as_int();
  MSJIT_OK(require_float(ctx, x, "x"));
  if (x.shape.rank() < 2)
    return value_error("[{}] x has a wrong rank, got {}, expected at least 2", ctx.name(),
                       x.shape.rank());
  if (groups < 1 || x.shape[1] % groups != 0)
    return value_error("[{}] groups must divide the channels, got {} for {}", ctx.name(), groups,
                       x.shape[1]);
  for (int i = 1; i < 3; ++i)
    if (ctx.has(i))
      MSJIT_OK(require_shape(ctx, ctx.in(i), {x.shape[1]}, i == 1 ? "weight" : "bias"));
  ctx.add_output(x.dtype, x.shape);
  return {};
}

// Layer normalisation over the channels of a group, then a scale and shift per channel.
Vals composite(OpSink* sink, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  Shape shape = in[0].shape(), channels;
  int64_t groups = shape[0] * attrs[0].as_int();
  Val rows = reshape(in[0], Shape{groups, groups ? shape.numel() / groups : 0});
  Val y = reshape(call(op_layer_norm_stats, {rows}, {AttrValue(1), attrs[1]}), shape);
  for (int i = 0; i < shape.rank(); ++i) channels.push_back(i == 1 ? shape[1] : 1);
  if (in.size() > 1 && in[1]) y = y * reshape(in[1], channels);
  if (in.size() > 2 && in[2]) y = y + reshape(in[2], channels);
  return {y};
}

}  // namespace

MSJIT_OP(group_norm)
    .doc("Normalises groups of channels (axis 1) of x, then scales and shifts each channel.")
    .signature(
        "x: Tensor, num_groups: int, weight: Tensor? = None, bias: Tensor? = None, "
        "epsilon: float = 1e-5")
    .infer(infer)
    .composite(composite)
    .sample({.shapes = {{2, 4, 3}, {4}, {4}}, .attrs = "num_groups=2"});

}  // namespace msjit
