#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/nll.h"

namespace msjit {

extern const OpDef op_log_softmax, op_nll_loss;

namespace {

Status infer(InferCtx& ctx) {
  const Meta &logits = ctx.in(0), &target = ctx.in(1);
  MSJIT_OK(require_float(ctx, logits, "logits"));
  MSJIT_TRY(nll::Settings settings, nll::read_settings(ctx.name(), ctx.attrs, 0));
  Shape shape = logits.shape;
  if (is_float(target.dtype)) {
    if (shape.rank() == 0)
      return value_error("[{}] logits have a wrong rank, got 0, expected at least 1", ctx.name());
    MSJIT_OK(require_shape(ctx, target, shape, "target"));
  } else {
    MSJIT_OK(nll::check_target(ctx, shape, target));
  }
  if (ctx.has(2)) MSJIT_OK(nll::check_weight(ctx, shape, ctx.in(2)));
  shape.erase(shape.rank() == 1 ? 0 : 1);
  ctx.add_output(logits.dtype, settings.reduction == nll::Reduction::kNone ? shape : Shape{});
  return {};
}

// Targets are probabilities; the mean is over positions.
Val against_probabilities(const Val& log_probabilities, std::span<const Val> in, int axis,
                          const Attrs& attrs) {
  using namespace words;
  const Shape& shape = log_probabilities.shape();
  double smoothing = attrs[2].as_float(), classes = static_cast<double>(shape[axis]);
  Val target = in[1];
  if (smoothing > 0) target = target * (1 - smoothing) + smoothing / classes;
  Val terms = log_probabilities * target;
  if (in.size() > 2 && in[2]) {
    Shape per_class;
    for (int i = 0; i < shape.rank(); ++i) per_class.push_back(i == axis ? shape[axis] : 1);
    terms = terms * reshape(in[2], per_class);
  }
  std::string_view reduction = attrs[1].as_string();
  if (reduction == "none") return -sum(terms, IntList{axis});
  Val total = -sum(terms);
  if (reduction == "sum" || classes == 0) return total;
  return total / (static_cast<double>(shape.numel()) / classes);
}

Vals composite(OpSink* sink, std::span<const Val> in, const Attrs& attrs) {
  int axis = in[0].rank() == 1 ? 0 : 1;
  Val log_probabilities = call(op_log_softmax, {in[0]}, {AttrValue(axis)});
  if (!log_probabilities) return {log_probabilities};
  if (is_float(in[1].dtype())) return {against_probabilities(log_probabilities, in, axis, attrs)};
  Val weight = in.size() > 2 ? in[2] : Val();
  return {call(op_nll_loss, {log_probabilities, in[1], weight}, attrs)};
}

}  // namespace

MSJIT_OP(cross_entropy)
    .doc(
        "Cross entropy of logits (N, C, ...) or (C) against class indices (N, ...) or "
        "probabilities of the logits' shape.")
    .signature(
        "logits: Tensor, target: Tensor, ignore_index: int = -100, reduction: str = \"mean\", "
        "weight: Tensor? = None, label_smoothing: float = 0.0")
    .infer(infer)
    .composite(composite)
    .sample({.shapes = {{4, 3}, {4}}, .low_high = {0, 2}, .dtypes = {"float32", "int32"}})
    .sample({.shapes = {{4, 3}, {4, 3}, {3}},
             .low_high = {0, 1},
             .attrs = "reduction=\"none\", label_smoothing=0.1"})
    .sample({.shapes = {{2, 3, 2}, {2, 2}},
             .low_high = {0, 2},
             .attrs = "label_smoothing=0.2, ignore_index=1",
             .dtypes = {"float32", "int64"}});

}  // namespace msjit
