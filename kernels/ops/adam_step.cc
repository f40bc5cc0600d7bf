#include <cmath>

#include "kernels/cpu/step_loop.h"

namespace msjit {
namespace {

using namespace words;

Status infer(InferCtx& ctx) {
  if (ctx.attrs[4].as_int() < 0)
    return value_error("[{}] step must not be negative, got {}", ctx.name(), ctx.attrs[4].as_int());
  return in_place::infer_step(ctx, 2);
}

// Where the weight decay is applied.
enum class Decay : uint8_t {
  kNone,
  kGradient,  // added to the gradient
  kMove,      // added to the move
  kShrink,    // times lr, subtracted before the move
};

struct Rates {
  double beta1, beta2, epsilon, decay;
  double lr_scale = 1;
  double root_scale = 1;  // on the square root of the second moment
};

template <Decay kDecay, bool kNesterov>
struct Adam {
  Rates r;
  template <class X>
  void operator()(X& param, X& m, X& v, X grad, X lr) const {
    if constexpr (kDecay == Decay::kGradient) grad = grad + r.decay * param;
    if constexpr (kDecay == Decay::kShrink) param = param * (1 - lr * r.decay);
    m = r.beta1 * m + (1 - r.beta1) * grad;
    v = r.beta2 * v + (1 - r.beta2) * grad * grad;
    X lead = m;
    if constexpr (kNesterov) lead = r.beta1 * m + (1 - r.beta1) * grad;
    X move = lead / (in_place::scaled(in_place::root(v), r.root_scale) + r.epsilon);
    if constexpr (kDecay == Decay::kMove) move = move + r.decay * param;
    param = param - in_place::scaled(lr, r.lr_scale) * move;
  }
};

// The bias correction of the moments is contained in these.
Rates rates_of(const Attrs& a) {
  const int64_t step = a[4].as_int();
  Rates r{a[0].as_float(), a[1].as_float(), a[2].as_float(), a[3].as_float()};
  const double bias1 = step ? 1 - std::pow(r.beta1, static_cast<double>(step)) : 1;
  const double bias2 = step ? 1 - std::pow(r.beta2, static_cast<double>(step)) : 1;
  const bool decoupled = a[5].as_bool();
  r.lr_scale = (decoupled ? 1 : std::sqrt(bias2)) / bias1;
  if (decoupled) r.root_scale = 1 / std::sqrt(bias2);
  return r;
}

Decay decay_of(const Attrs& a) {
  if (a[3].as_float() == 0) return Decay::kNone;
  if (!a[5].as_bool()) return Decay::kGradient;
  return a[4].as_int() == 0 ? Decay::kMove : Decay::kShrink;
}

template <bool kNesterov, class Use>
auto with_decay(const Attrs& attrs, Use&& use) {
  const Rates rates = rates_of(attrs);
  switch (decay_of(attrs)) {
    case Decay::kGradient: return use(Adam<Decay::kGradient, kNesterov>{rates});
    case Decay::kMove: return use(Adam<Decay::kMove, kNesterov>{rates});
    case Decay::kShrink: return use(Adam<Decay::kShrink, kNesterov>{rates});
    default: return use(Adam<Decay::kNone, kNesterov>{rates});
  }
}
template <class Use>
auto with_formula(const Attrs& attrs, Use&& use) {
  return attrs[6].as_bool() ? with_decay<true>(attrs, use) : with_decay<false>(attrs, use);
}

Status kernel(KernelCtx& ctx) {
  return with_formula(ctx.attrs, [&](const auto& f) { return in_place::run_formula<2>(ctx, f); });
}

Vals update(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  return with_formula(attrs, [&](const auto& f) { return in_place::formula_values<2>(in, f); });
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
