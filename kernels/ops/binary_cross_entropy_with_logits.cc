#include "kernels/core/loss_words.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) { return loss_words::infer(ctx, ctx.attrs[0]); }

// softplus(-x) without overflow. The result does not depend on the shift, so the gradient of the
// shift is left out. The rest is exact everywhere, also at zero.
Val softplus_of_negative(const Val& x) {
  using namespace words;
  Val shift = stop_gradient(maximum(-x, 0.0));
  return log(exp(-shift) + exp(-x - shift)) + shift;
}

Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  Val x = in[0], y = in[1];
  Val tail = softplus_of_negative(x);
  if (in.size() > 3 && in[3]) tail = tail * ((in[3] - 1.0) * y + 1.0);
  Val loss = (1.0 - y) * x + tail;
  if (in.size() > 2 && in[2]) loss = loss * in[2];
  return {loss_words::reduce(loss, attrs[0])};
}

}  // namespace

MSJIT_OP(binary_cross_entropy_with_logits)
    .doc(
        "Cross entropy of sigmoid(logits) against labels; pos_weight scales the positive part, "
        "weight the whole.")
    .signature(
        "logits: Tensor, labels: Tensor, weight: Tensor? = None, "
        "pos_weight: Tensor? = None, reduction: str = \"mean\"")
    .numpy(
        "{\"none\": lambda v: v, \"mean\": np.mean, \"sum\": np.sum}[reduction](((1 - labels) * "
        "logits + np.logaddexp(0, -logits) * (((1 if pos_weight is None else pos_weight) - 1) * "
        "labels + 1)) * (1 if weight is None else weight))")
    .infer(infer)
    .composite(composite)
    .sample({.shapes = {{3, 4}, {3, 4}}})
    .sample({.shapes = {{3, 4}, {3, 4}, {4}, {4}}, .attrs = "reduction=\"none\""});

}  // namespace msjit
