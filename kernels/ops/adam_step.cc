#include <cmath>

#include "kernels/cpu/step_loop.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  if (ctx.attrs[5].as_int() < 0)
    return value_error("[{}] step must not be negative, got {}", ctx.name(), ctx.attrs[5].as_int());
  return in_place::infer_step(ctx, 2);
}

struct Rates {
  double beta1, beta2, epsilon;
  double early_decay = 0;  // share of the parameter added to the gradient
  double late_decay = 0;   // share of the parameter added to the move
  double shrink = 1;       // factor on the parameter before the move
  double lr;
  double root_scale = 1;  // on the square root of the second moment
};

Rates rates_of(const Attrs& a) {
  double lr = a[0].as_float(), decay = a[4].as_float();
  int64_t step = a[5].as_int();
  bool decoupled = a[6].as_bool();
  Rates r{.beta1 = a[1].as_float(), .beta2 = a[2].as_float(), .epsilon = a[3].as_float(), .lr = lr};
  double bias1 = step ? 1 - std::pow(r.beta1, static_cast<double>(step)) : 1;
  double bias2 = step ? 1 - std::pow(r.beta2, static_cast<double>(step)) : 1;
  if (!decoupled) {
    r.early_decay = decay;
    r.lr = lr * std::sqrt(bias2) / bias1;
  } else if (step == 0) {
    r.late_decay = decay;
  } else {
    r.shrink = 1 - lr * decay;
    r.lr = lr / bias1;
    r.root_scale = 1 / std::sqrt(bias2);
  }
  return r;
}

template <bool kNesterov>
void run(const in_place::Step& step, const Rates& r) {
  in_place::run_step(step, [r]<class C>(C grad, C& param, C& m, C& v) {
    C b1 = static_cast<C>(r.beta1), b2 = static_cast<C>(r.beta2);
    C rest1 = static_cast<C>(1 - r.beta1), rest2 = static_cast<C>(1 - r.beta2);
    grad += static_cast<C>(r.early_decay) * param;
    param *= static_cast<C>(r.shrink);
    m = b1 * m + rest1 * grad;
    v = b2 * v + rest2 * grad * grad;
    C lead = kNesterov ? b1 * m + rest1 * grad : m;
    C root = std::sqrt(v) * static_cast<C>(r.root_scale) + static_cast<C>(r.epsilon);
    param -= static_cast<C>(r.lr) * (lead / root + static_cast<C>(r.late_decay) * param);
  });
}

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(in_place::Step step, in_place::begin_step(ctx, 2));
  Rates rates = rates_of(ctx.attrs);
  ctx.attrs[7].as_bool() ? run<true>(step, rates) : run<false>(step, rates);
  in_place::end_step(ctx, step);
  return {};
}

}  // namespace

MSJIT_OP(adam_step)
    .doc(
        "One step of Adam in place; writes param and both moments. `step` counts from 1 and "
        "corrects the bias of the moments; 0 corrects nothing. Weight decay is added to the "
        "gradient or, decoupled, applied to the parameter itself.")
    .signature(
        "param: Tensor, m: Tensor, v: Tensor, grad: Tensor, lr: float, beta1: float = 0.9, "
        "beta2: float = 0.999, epsilon: float = 1e-8, weight_decay: float = 0.0, "
        "step: int = 0, decoupled: bool = False, nesterov: bool = False")
    .impure()
    .traits(kInPlace)
    .no_grad()
    .infer(infer)
    .cpu(kernel);

}  // namespace msjit
