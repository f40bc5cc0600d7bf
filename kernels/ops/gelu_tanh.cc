#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(gelu_tanh)
    .doc("The tanh form of gelu: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).")
    .unary(DTypeRule::kFloat)
    .numpy("0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x ** 3)))")
    .scalar<kFloats>([](auto m, auto x) {
      const auto inner =
          m.constant(x, 0.79788456080286535588) * (x + m.constant(x, 0.044715) * x * x * x);
      return m.constant(x, 0.5) * x * (m.constant(x, 1) + m.tanh(inner));
    })
    .vjp([](Vjp& v) {
      const Val& x = v.in(0);
      const Val t = tanh((x + x * x * x * 0.044715) * 0.79788456080286535588);
      const Val slope = (square(x) * (3 * 0.044715) + 1.0) * 0.79788456080286535588;
      v.set_grad(0, v.grad() * ((t + 1.0) * 0.5 + x * 0.5 * (1.0 - square(t)) * slope));
    })
    .sample({.shapes = {{4, 5}}});

}  // namespace msjit
