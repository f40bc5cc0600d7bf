#include "kernels/core/loss_words.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  const Meta &x = ctx.in(0), &y = ctx.in(1);
  MSJIT_OK(loss_words::check_reduction(ctx, ctx.attrs[0]));
  MSJIT_TRY(Shape shape, ctx.broadcast(x.shape, y.shape));
  DType dtype = promote(x.dtype, x.weak, y.dtype, y.weak);
  if (!is_float(dtype)) dtype = DType::kFloat32;
  ctx.add_output(dtype, ctx.attrs[0].as_string() == "none" ? shape : Shape{});
  return {};
}

Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  Val x = in[0], y = in[1];
  if (!is_float(x.dtype()) && !is_float(y.dtype())) x = cast(x, DType::kFloat32);
  return {loss_words::reduce(square(x - y), attrs[0])};
}

}  // namespace

MSJIT_OP(mse_loss)
    .doc("Squared difference of logits and labels, which broadcast, reduced.")
    .signature("logits: Tensor, labels: Tensor, reduction: str = \"mean\"")
    .numpy(
        "{\"none\": lambda v: v, \"mean\": np.mean, \"sum\": np.sum}[reduction]("
        "np.square(logits - labels))")
    .infer(infer)
    .composite(composite)
    .sample({.shapes = {{3, 4}, {3, 4}}})
    .sample({.shapes = {{3, 4}, {4}}, .attrs = "reduction=\"sum\""})
    .sample({.shapes = {{3, 4}, {3, 4}}, .attrs = "reduction=\"none\""});

}  // namespace msjit
