#include "kernels/cpu/step_loop.h"

namespace msjit {
namespace {

using namespace words;

template <bool kDecays, bool kNesterov>
struct Momentum {
  double momentum, decay, kept;
  template <class X>
  void operator()(X& param, X& accum, X grad, X lr) const {
    if constexpr (kDecays) grad = grad + decay * param;
    accum = accum * momentum + in_place::scaled(grad, kept);
    if constexpr (kNesterov)
      param = param - lr * (grad + accum * momentum);
    else
      param = param - lr * accum;
  }
};

template <class Use>
auto with_formula(const Attrs& a, Use&& use) {
  const double momentum = a[0].as_float(), decay = a[1].as_float(), kept = 1 - a[2].as_float();
  if (a[3].as_bool())
    return decay == 0 ? use(Momentum<false, true>{momentum, decay, kept})
                      : use(Momentum<true, true>{momentum, decay, kept});
  return decay == 0 ? use(Momentum<false, false>{momentum, decay, kept})
                    : use(Momentum<true, false>{momentum, decay, kept});
}

Status infer(InferCtx& ctx) { return in_place::infer_step(ctx, 1); }

Status kernel(KernelCtx& ctx) {
  return with_formula(ctx.attrs, [&](const auto& f) { return in_place::run_formula<1>(ctx, f); });
}

Vals update(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  return with_formula(attrs, [&](const auto& f) { return in_place::formula_values<1>(in, f); });
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
