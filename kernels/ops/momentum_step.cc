#include "kernels/cpu/step_loop.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) { return in_place::infer_step(ctx, 1); }

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(in_place::Step step, in_place::begin_step(ctx, 1));
  const double lr = step.rate, momentum = ctx.attrs[0].as_float();
  const double decay = ctx.attrs[1].as_float(), kept = 1 - ctx.attrs[2].as_float();
  const bool nesterov = ctx.attrs[3].as_bool();
  in_place::run_step(step, [=]<class C>(C grad, C& param, C& accum, C&) {
    grad += static_cast<C>(decay) * param;
    accum = accum * static_cast<C>(momentum) + grad * static_cast<C>(kept);
    C move = nesterov ? grad + accum * static_cast<C>(momentum) : accum;
    param -= static_cast<C>(lr) * move;
  });
  in_place::end_step(ctx, step);
  return {};
}

Vals update(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  const Vals s = in_place::step_values(in);
  const Val &param = s[0], &lr = s[3];
  const double momentum = attrs[0].as_float(), decay = attrs[1].as_float();
  const double kept = 1 - attrs[2].as_float();
  const Val grad = decay == 0 ? s[2] : s[2] + decay * param;
  const Val accum = s[1] * momentum + (kept == 1 ? grad : grad * kept);
  return {param - lr * (attrs[3].as_bool() ? grad + accum * momentum : accum), accum};
}

}  // namespace

MSJIT_OP(momentum_step)
    .doc(
        "One step of momentum descent in place, grad including weight_decay * param: accum = accum "
        "* momentum + grad * (1 - dampening), param -= lr * accum (nesterov: lr * (grad + accum * "
        "momentum)). Writes param and accum.")
    .signature(
        "param: Tensor, accum: Tensor, grad: Tensor, lr: Tensor, momentum: float, "
        "weight_decay: float = 0.0, dampening: float = 0.0, nesterov: bool = False")
    .impure()
    .traits(kInPlace)
    .no_grad()
    .infer(infer)
    .cpu(kernel)
    .update(update);

}  // namespace msjit
