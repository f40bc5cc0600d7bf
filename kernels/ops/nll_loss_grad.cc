#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/nll.h"
#include "kernels/device/nll.h"

namespace msjit {

extern const OpDef op_nll_loss;

namespace {

Status infer(InferCtx& ctx) {
  MSJIT_TRY(Shape logits, shape_of(ctx, ctx.attrs[0], "shape"));
  MSJIT_OK(require_float(ctx, ctx.in(0), "grad"));
  MSJIT_OK(nll::check_target(ctx, logits, ctx.in(1)));
  if (ctx.has(2)) MSJIT_OK(nll::check_weight(ctx, logits, ctx.in(2)));
  MSJIT_TRY(nll::Settings settings, nll::read_settings(ctx.name(), ctx.attrs, 1));
  bool reduced = settings.reduction != nll::Reduction::kNone;
  MSJIT_OK(require_shape(ctx, ctx.in(0), reduced ? Shape{} : ctx.in(1).shape, "grad"));
  ctx.add_output(ctx.in(0).dtype, logits);
  return {};
}

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(nll::Settings settings, nll::read_settings(ctx.op.name, ctx.attrs, 1));
  const Tensor* weight = ctx.in.size() > 2 && ctx.in[2] ? &ctx.in[2] : nullptr;
  const Tensor& dx = ctx.out[0];
  DType compute = dx.dtype() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  MSJIT_TRY(nll::Problem problem, nll::prepare(ctx.op.name, dx.shape(), ctx.in[1], weight, compute,
                                               settings.ignore_index));
  return nll::loss_grad(problem, settings, ctx.in[0], dx);
}

// The loss is linear in the logits, so the gradient of its gradient is the loss of the incoming
// gradient.
void vjp(Vjp& v) {
  Val weight = v.inputs.size() > 2 ? v.in(2) : Val();
  if (weight && v.needs(2))
    v.sink->poison(not_implemented_error(
        "[nll_loss] second derivatives with respect to weight are not available"));
  if (!v.needs(0)) return;
  v.set_grad(0,
             call(op_nll_loss, {v.grad(), v.in(1), weight}, {v.attrs[1], v.attrs[2], v.attrs[3]}));
}

}  // namespace

MSJIT_OP(nll_loss_grad)
    .doc("Gradient of nll_loss with respect to logits of the given shape.")
    .signature(
        "grad: Tensor, target: Tensor, shape: int[], weight: Tensor? = None, "
        "ignore_index: int = -100, reduction: str = \"mean\", label_smoothing: float = 0.0")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      MSJIT_TRY(const nll::Settings settings, nll::read_settings(ctx.op.name, ctx.attrs, 1));
      const Tensor* weight = ctx.in.size() > 2 && ctx.in[2] ? &ctx.in[2] : nullptr;
      return devices::nll_loss_grad(ctx.op.name, settings, ctx.in[0], ctx.in[1], weight,
                                    ctx.out[0]);
    })
    .vjp(vjp);

}  // namespace msjit
