#include <cmath>

#include "kernels/cpu/step_loop.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  if (ctx.attrs[4].as_int() < 0)
    return value_error("[{}] step must not be negative, got {}", ctx.name(), ctx.attrs[4].as_int());
  return in_place::infer_step(ctx, 2);
}

struct Rates {
  double beta1, beta2, epsilon;
  double early_decay = 0;   // share of the parameter added to the gradient
  double late_decay = 0;    // share of the parameter added to the move
  double shrink_decay = 0;  // times lr: share of the parameter taken away before the move
  double lr_scale = 1;
  double root_scale = 1;  // on the square root of the second moment
  bool nesterov;
};

Rates rates_of(const Attrs& a) {
  const double decay = a[3].as_float();
  const int64_t step = a[4].as_int();
  Rates r{.beta1 = a[0].as_float(),
          .beta2 = a[1].as_float(),
          .epsilon = a[2].as_float(),
          .nesterov = a[6].as_bool()};
  const double bias1 = step ? 1 - std::pow(r.beta1, static_cast<double>(step)) : 1;
  const double bias2 = step ? 1 - std::pow(r.beta2, static_cast<double>(step)) : 1;
  if (!a[5].as_bool()) {
    r.early_decay = decay;
    r.lr_scale = std::sqrt(bias2) / bias1;
  } else if (step == 0) {
    r.late_decay = decay;
  } else {
    r.shrink_decay = decay;
    r.lr_scale = 1 / bias1;
    r.root_scale = 1 / std::sqrt(bias2);
  }
  return r;
}

template <bool kNesterov>
void run(const in_place::Step& step, const Rates& r) {
  const double lr = step.rate * r.lr_scale, shrink = 1 - step.rate * r.shrink_decay;
  in_place::run_step(step, [r, lr, shrink]<class C>(C grad, C& param, C& m, C& v) {
    C b1 = static_cast<C>(r.beta1), b2 = static_cast<C>(r.beta2);
    C rest1 = static_cast<C>(1 - r.beta1), rest2 = static_cast<C>(1 - r.beta2);
    grad += static_cast<C>(r.early_decay) * param;
    param *= static_cast<C>(shrink);
    m = b1 * m + rest1 * grad;
    v = b2 * v + rest2 * grad * grad;
    C lead = kNesterov ? b1 * m + rest1 * grad : m;
    C root = std::sqrt(v) * static_cast<C>(r.root_scale) + static_cast<C>(r.epsilon);
    param -= static_cast<C>(lr) * (lead / root + static_cast<C>(r.late_decay) * param);
  });
}

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(in_place::Step step, in_place::begin_step(ctx, 2));
  const Rates rates = rates_of(ctx.attrs);
  rates.nesterov ? run<true>(step, rates) : run<false>(step, rates);
  in_place::end_step(ctx, step);
  return {};
}

// The formula of run(), without the parts that do nothing.
Vals update(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  const Vals s = in_place::step_values(in);
  const Rates r = rates_of(attrs);
  Val param = s[0], lr = s[4];
  const Val grad = r.early_decay == 0 ? s[3] : s[3] + r.early_decay * param;
  if (r.shrink_decay != 0) param = param * (1 - lr * r.shrink_decay);
  if (r.lr_scale != 1) lr = lr * r.lr_scale;
  const Val m = r.beta1 * s[1] + (1 - r.beta1) * grad;
  const Val v = r.beta2 * s[2] + (1 - r.beta2) * grad * grad;
  const Val lead = r.nesterov ? r.beta1 * m + (1 - r.beta1) * grad : m;
  const Val root = r.root_scale == 1 ? sqrt(v) : sqrt(v) * r.root_scale;
  Val move = lead / (root + r.epsilon);
  if (r.late_decay != 0) move = move + r.late_decay * param;
  return {param - lr * move, m, v};
}

}  // namespace

MSJIT_OP(adam_step)
    .doc(
        "One step of Adam in place; writes param and both moments. `step` counts from 1 and "
        "corrects the bias of the moments; 0 corrects nothing. Weight decay is added to the "
        "gradient or, decoupled, applied to the parameter itself.")
    .signature(
        "param: Tensor, m: Tensor, v: Tensor, grad: Tensor, lr: Tensor, beta1: float = 0.9, "
        "beta2: float = 0.999, epsilon: float = 1e-8, weight_decay: float = 0.0, "
        "step: int = 0, decoupled: bool = False, nesterov: bool = False")
    .impure()
    .traits(kInPlace)
    .no_grad()
    .infer(infer)
    .cpu(kernel)
    .update(update);

}  // namespace msjit
