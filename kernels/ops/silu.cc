#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(silu)
    .doc("x sigmoid(x).")
    .unary(DTypeRule::kFloat)
    .numpy("x / (1 + np.exp(-x))")
    .scalar<kFloats>([](auto m, auto x) { return x * m.sigmoid(x); })
    .vjp([](Vjp& v) {
      v.set_grad(0, v.grad() * (sigmoid(v.in(0)) + v.out() * (1.0 - sigmoid(v.in(0)))));
    })
    .sample({.shapes = {{4, 5}}});

}  // namespace msjit
