#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(softplus)
    .doc("log(1 + exp(x)), without overflow.")
    .unary(DTypeRule::kFloat)
    .numpy("np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)")
    .scalar<kFloats>([](auto m, auto x) {
      return m.log1p(m.exp(-m.abs(x))) + m.nan_max(x, m.constant(x, 0));
    })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * sigmoid(v.in(0))); })
    .sample({.shapes = {{4, 5}}});

}  // namespace msjit
