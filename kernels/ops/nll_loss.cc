#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/nll.h"
#include "kernels/device/nll.h"

namespace msjit {

extern const OpDef op_nll_loss_grad, op_one_hot;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& logits = ctx.in(0);
  MSJIT_OK(require_float(ctx, logits, "logits"));
  MSJIT_OK(nll::check_target(ctx, logits.shape, ctx.in(1)));
  if (ctx.has(2)) MSJIT_OK(nll::check_weight(ctx, logits.shape, ctx.in(2)));
  MSJIT_TRY(nll::Settings settings, nll::read_settings(ctx.name(), ctx.attrs, 0));
  bool reduced = settings.reduction != nll::Reduction::kNone;
  ctx.add_output(logits.dtype, reduced ? Shape{} : ctx.in(1).shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(nll::Settings settings, nll::read_settings(ctx.op.name, ctx.attrs, 0));
  const Tensor& logits = ctx.in[0];
  const Tensor* weight = ctx.in.size() > 2 && ctx.in[2] ? &ctx.in[2] : nullptr;
  DType compute = logits.dtype() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  MSJIT_TRY(nll::Problem problem, nll::prepare(ctx.op.name, logits.shape(), ctx.in[1], weight,
                                               compute, settings.ignore_index));
  return nll::loss(problem, settings, logits, ctx.out[0]);
}

// The loss is -sum(weight * logits * share) over the classes. share is an even part for every
// class, plus 1 - smoothing at the target. The mean divides by the sum of the targets' weights.
Val weight_grad(const Vjp& v) {
  using namespace words;
  const Val &logits = v.in(0), &target = v.in(1);
  int axis = logits.rank() == 1 ? 0 : 1;
  Dim classes = logits.shape()[axis];
  DType dtype = logits.dtype();
  double smoothing = v.attrs[2].as_float();
  Val counted = cast(not_equal(target, static_cast<double>(v.attrs[0].as_int())), dtype);
  counted = expand_dims(counted, axis);
  Attrs one_hot{AttrValue(classes), AttrValue(1), AttrValue(0), AttrValue(axis), AttrValue(dtype)};
  Val hit = call(op_one_hot, {target}, one_hot) * counted;
  Val share = hit * (1 - smoothing) + counted * (smoothing / static_cast<double>(classes));
  IntList others;
  for (int i = 0; i < logits.rank(); ++i)
    if (i != axis) others.push_back(i);
  auto per_class = [&](const Val& x) { return others.empty() ? x : sum(x, others); };
  std::string_view reduction = v.attrs[1].as_string();
  Val grad = v.grad();
  if (reduction == "none") return -per_class(logits * share * expand_dims(grad, axis));
  if (reduction == "sum") return -(per_class(logits * share) * grad);
  Val hits = per_class(hit);
  Val total = sum(hits * v.in(2));
  return -((per_class(logits * share) + v.out() * hits) * grad / total);
}

void vjp(Vjp& v) {
  bool weighted = v.inputs.size() > 2 && v.in(2);
  if (v.needs(0)) {
    Attrs attrs{AttrValue(layout::as_list(v.in(0).shape())), v.attrs[0], v.attrs[1], v.attrs[2]};
    v.set_grad(0, call(op_nll_loss_grad, {v.grad(), v.in(1), weighted ? v.in(2) : Val()}, attrs));
  }
  if (weighted && v.needs(2)) v.set_grad(2, weight_grad(v));
}

}  // namespace

MSJIT_OP(nll_loss)
    .doc(
        "Negative log likelihood of log probabilities (N, C, ...) at class indices (N, ...). The "
        "mean is weighted by the classes' weights; targets equal to ignore_index do not count.")
    .signature(
        "logits: Tensor, target: Tensor, ignore_index: int = -100, reduction: str = \"mean\", "
        "weight: Tensor? = None, label_smoothing: float = 0.0")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      MSJIT_TRY(const nll::Settings settings, nll::read_settings(ctx.op.name, ctx.attrs, 0));
      const Tensor* weight = ctx.in.size() > 2 && ctx.in[2] ? &ctx.in[2] : nullptr;
      return devices::nll_loss(ctx.op.name, settings, ctx.in[0], ctx.in[1], weight, ctx.out[0]);
    })
    .vjp(vjp)
    .sample({.shapes = {{4, 3}, {4}}, .low_high = {0, 2}, .dtypes = {"float32", "int32"}})
    .sample({.shapes = {{4, 3}, {4}, {3}},
             .low_high = {0, 2},
             .attrs = "reduction=\"none\", ignore_index=1, label_smoothing=0.1",
             .dtypes = {"float32", "int32", "float32"}})
    .sample({.shapes = {{2, 3, 2}, {2, 2}},
             .low_high = {0, 2},
             .attrs = "reduction=\"sum\"",
             .dtypes = {"float32", "int64"}});

}  // namespace msjit
