#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(leaky_relu)
    .doc("x where x > 0, else alpha x.")
    .elementwise(DTypeRule::kFloat)
    .signature("x: Tensor, alpha: float = 0.2")
    .numpy("np.where(x > 0, x, alpha * x)")
    .scalar<kFloats>([](auto m, auto x) {
      return m.select(x > m.constant(x, 0), x, m.attr(0) * x);
    })
    .vjp([](Vjp& v) {
      // At 0 both pieces meet, and each contributes half.
      const double alpha = v.attrs[0].as_float();
      const Val below = v.grad() * alpha;
      const Val at_most = where(less(v.in(0), 0.0), below, v.grad() * (0.5 * (1.0 + alpha)));
      v.set_grad(0, where(greater(v.in(0), 0.0), v.grad(), at_most));
    })
    .sample({.shapes = {{4, 5}}, .attrs = "alpha=0.3"});

}  // namespace msjit
