#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(logaddexp)
    .doc("log(exp(x) + exp(y)), without overflow.")
    .binary(DTypeRule::kFloat)
    .traits(kCommutative)
    .numpy("np.logaddexp(x, y)")
    .scalar<kFloats>([](auto m, auto x, auto y) {
      const auto apart = m.nan_max(x, y) + m.log1p(m.exp(-m.abs(x - y)));
      return m.select(x == y, x + m.constant(x, 0.69314718055994530942),
                      apart);  // equal infinities too
    })
    .vjp([](Vjp& v) {
      const Val apart = v.in(0) - v.in(1);  // NaN for equal infinities, whose slopes are 1/2
      const Val infinite = equal(v.in(0), v.in(1)) * not_equal(apart, apart);
      const Val distance = where(infinite, 0.0, apart);
      v.set_grad(0, v.grad() * sigmoid(distance));
      v.set_grad(1, v.grad() * sigmoid(-distance));
    })
    .sample({.shapes = {{4, 5}, {4, 5}}})
    .sample({.shapes = {{2, 3}, {3}}});

}  // namespace msjit
