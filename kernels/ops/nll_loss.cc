#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/nll.h"

namespace msjit {

extern const OpDef op_nll_loss_grad;

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

void vjp(Vjp& v) {
  if (!v.needs(0)) return;
  Attrs attrs{AttrValue(layout::as_list(v.in(0).shape())), v.attrs[0], v.attrs[1], v.attrs[2]};
  Val weight = v.inputs.size() > 2 ? v.in(2) : Val();
  v.set_grad(0, call(op_nll_loss_grad, {v.grad(), v.in(1), weight}, attrs));
}

}  // namespace

MSJIT_OP(nll_loss)
    .doc("Negative log likelihood of log probabilities (N, C, ...) at class indices (N, ...). The "
         "mean is weighted by the classes' weights; targets equal to ignore_index do not count.")
    .signature("logits: Tensor, target: Tensor, ignore_index: int = -100, reduction: str = \"mean\", "
               "weight: Tensor? = None, label_smoothing: float = 0.0")
    .infer(infer)
    .cpu(kernel)
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
