#include "kernels/core/checks.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_layer_norm_stats;

namespace {

Vals composite(OpSink* sink, std::span<const Val> in, const Attrs& attrs) {
  int rank = in[0].rank();
  int axis = normal_axis(attrs[0].as_int(), rank);
  return {call_in(sink, op_layer_norm_stats, in, {AttrValue(rank - axis), attrs[1]})};
}

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_OK(require_float(ctx, x, "x"));
  MSJIT_TRY(int axis, axis_of(ctx, ctx.attrs[0].as_int(), x.shape.rank()));
  Shape params;
  for (int i = axis; i < x.shape.rank(); ++i) params.push_back(x.shape[i]);
  for (int i = 1; i < 3; ++i) {
    if (!ctx.has(i)) continue;
    MSJIT_OK(require_float(ctx, ctx.in(i), i == 1 ? "weight" : "bias"));
    MSJIT_OK(require_shape(ctx, ctx.in(i), params, i == 1 ? "weight" : "bias"));
  }
  ctx.add_output(x.dtype, x.shape);
  return {};
}

}  // namespace

MSJIT_OP(layer_norm)
    .doc(
        "Normalises x over the axes from `axis` on to mean 0 and variance 1, then scales and "
        "shifts.")
    .signature(
        "x: Tensor, weight: Tensor? = None, bias: Tensor? = None, axis: int = -1, "
        "epsilon: float = 1e-5")
    .infer(infer)
    .composite(composite)
    .sample({.shapes = {{3, 5}, {5}, {5}}})
    .sample({.shapes = {{2, 3, 4}, {3, 4}, {3, 4}}, .attrs = "axis=-2, epsilon=0.001"})
    .sample({.shapes = {{3, 5}}});

}  // namespace msjit
