// What the elementwise losses share: the reduction at their end and the shape rule.
#pragma once

#include "kernels/core/checks.h"
#include "kernels/core/words.h"

namespace msjit::loss_words {

inline Status check_reduction(const InferCtx& ctx, const AttrValue& reduction) {
  std::string_view text = reduction.as_string();
  if (text == "none" || text == "mean" || text == "sum") return {};
  return value_error("[{}] unknown reduction, got '{}', expected 'none', 'mean' or 'sum'",
                     ctx.name(), text);
}

// Prediction and label with equal shapes and float dtypes; optional factors that broadcast to them.
inline Status infer(InferCtx& ctx, const AttrValue& reduction) {
  const Meta& x = ctx.in(0);
  MSJIT_OK(require_float(ctx, x, "logits"));
  MSJIT_OK(require_float(ctx, ctx.in(1), "labels"));
  MSJIT_OK(require_shape(ctx, ctx.in(1), x.shape, "labels"));
  MSJIT_OK(check_reduction(ctx, reduction));
  for (int i = 2; i < ctx.num_inputs(); ++i) {
    if (!ctx.has(i)) continue;
    MSJIT_OK(require_float(ctx, ctx.in(i), "a weight"));
    MSJIT_TRY(Shape both, ctx.broadcast(ctx.in(i).shape, x.shape));
    if (!(both == x.shape))
      return value_error("[{}] cannot broadcast a weight, got shape {}, expected {}", ctx.name(),
                         ctx.in(i).shape.str(), x.shape.str());
  }
  DType dtype = promote(x.dtype, x.weak, ctx.in(1).dtype, ctx.in(1).weak);
  ctx.add_output(dtype, reduction.as_string() == "none" ? x.shape : Shape{});
  return {};
}

inline Val reduce(const Val& loss, const AttrValue& reduction) {
  std::string_view text = reduction.as_string();
  return text == "none" ? loss : text == "sum" ? words::sum(loss) : words::mean(loss);
}

}  // namespace msjit::loss_words
