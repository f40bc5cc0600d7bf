#include "kernels/cpu/step_loop.h"

namespace msjit {
namespace {

using namespace words;

template <bool kDecays>
struct Descent {
  double decay;
  template <class X>
  void operator()(X& param, X grad, X lr) const {
    if constexpr (kDecays) grad = grad + decay * param;
    param = param - lr * grad;
  }
};

template <class Use>
auto with_formula(const Attrs& attrs, Use&& use) {
  const double decay = attrs[0].as_float();
  return decay == 0 ? use(Descent<false>{decay}) : use(Descent<true>{decay});
}

Status infer(InferCtx& ctx) { return in_place::infer_step(ctx, 0); }

Status kernel(KernelCtx& ctx) {
  return with_formula(ctx.attrs, [&](const auto& f) { return in_place::run_formula<0>(ctx, f); });
}

Vals update(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  return with_formula(attrs, [&](const auto& f) { return in_place::formula_values<0>(in, f); });
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
