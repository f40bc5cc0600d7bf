#include "kernels/cpu/step_loop.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) { return in_place::infer_step(ctx, 0); }

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(in_place::Step step, in_place::begin_step(ctx, 0));
  const double lr = step.rate, decay = ctx.attrs[0].as_float();
  in_place::run_step(step, [=]<class C>(C grad, C& param, C&, C&) {
    param -= static_cast<C>(lr) * (grad + static_cast<C>(decay) * param);
  });
  in_place::end_step(ctx, step);
  return {};
}

Vals update(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  const Vals s = in_place::step_values(in);
  const double decay = attrs[0].as_float();
  return {s[0] - s[2] * (decay == 0 ? s[1] : s[1] + decay * s[0])};
}

}  // namespace

MSJIT_OP(sgd_step)
    .doc("One step of gradient descent in place: param -= lr * (grad + weight_decay * param).")
    .signature("param: Tensor, grad: Tensor, lr: Tensor, weight_decay: float = 0.0")
    .impure()
    .traits(kInPlace)
    .no_grad()
    .infer(infer)
    .cpu(kernel)
    .update(update);

}  // namespace msjit
