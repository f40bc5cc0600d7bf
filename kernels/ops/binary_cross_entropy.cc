#include "kernels/core/loss_words.h"

namespace msjit {

extern const OpDef op_binary_cross_entropy_terms;

namespace {

Status infer(InferCtx& ctx) { return loss_words::infer(ctx, ctx.attrs[0]); }

Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  Val loss = call(op_binary_cross_entropy_terms, {in[0], in[1]});
  if (in.size() > 2 && in[2]) loss = loss * in[2];
  return {loss_words::reduce(loss, attrs[0])};
}

}  // namespace

MSJIT_OP(binary_cross_entropy)
    .doc("Cross entropy of probabilities in [0, 1] against labels of the same shape.")
    .signature("logits: Tensor, labels: Tensor, weight: Tensor? = None, reduction: str = \"mean\"")
    .numpy(
        "{\"none\": lambda v: v, \"mean\": np.mean, \"sum\": np.sum}[reduction](-(labels * "
        "np.log(logits) + (1 - labels) * np.log(1 - logits)) * (1 if weight is None else "
        "weight))")
    .infer(infer)
    .composite(composite)
    .sample({.shapes = {{3, 4}, {3, 4}}, .low_high = {0.1, 0.9}})
    .sample({.shapes = {{3, 4}, {3, 4}, {4}},
             .low_high = {0.1, 0.9},
             .attrs = "reduction=\"sum\""});

}  // namespace msjit
