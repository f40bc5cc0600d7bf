#include "kernels/cpu/step_loop.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) { return in_place::infer_step(ctx, 0); }

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(in_place::Step step, in_place::begin_step(ctx, 0));
  double lr = ctx.attrs[0].as_float(), decay = ctx.attrs[1].as_float();
  in_place::run_step(step, [=]<class C>(C grad, C& param, C&, C&) {
    param -= static_cast<C>(lr) * (grad + static_cast<C>(decay) * param);
  });
  in_place::end_step(ctx, step);
  return {};
}

}  // namespace

MSJIT_OP(sgd_step)
    .doc("One step of gradient descent in place: param -= lr * (grad + weight_decay * param).")
    .signature("param: Tensor, grad: Tensor, lr: float, weight_decay: float = 0.0")
    .impure()
    .traits(kInPlace)
    .no_grad()
    .infer(infer)
    .cpu(kernel);

}  // namespace msjit
