#include "kernels/cpu/step_loop.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) { return in_place::infer_step(ctx, 1); }

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(in_place::Step step, in_place::begin_step(ctx, 1));
  double lr = ctx.attrs[0].as_float(), momentum = ctx.attrs[1].as_float();
  double decay = ctx.attrs[2].as_float(), kept = 1 - ctx.attrs[3].as_float();
  bool nesterov = ctx.attrs[4].as_bool();
  in_place::run_step(step, [=]<class C>(C grad, C& param, C& accum, C&) {
    grad += static_cast<C>(decay) * param;
    accum = accum * static_cast<C>(momentum) + grad * static_cast<C>(kept);
    C move = nesterov ? grad + accum * static_cast<C>(momentum) : accum;
    param -= static_cast<C>(lr) * move;
  });
  in_place::end_step(ctx, step);
  return {};
}

}  // namespace

MSJIT_OP(momentum_step)
    .doc(
        "One step of momentum descent in place, grad including weight_decay * param: accum = accum "
        "* momentum + grad * (1 - dampening), param -= lr * accum (nesterov: lr * (grad + accum * "
        "momentum)). Writes param and accum.")
    .signature(
        "param: Tensor, accum: Tensor, grad: Tensor, lr: float, momentum: float, "
        "weight_decay: float = 0.0, dampening: float = 0.0, nesterov: bool = False")
    .impure()
    .traits(kInPlace)
    .no_grad()
    .infer(infer)
    .cpu(kernel);

}  // namespace msjit
