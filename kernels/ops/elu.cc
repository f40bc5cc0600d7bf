#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(elu)
    .doc("x where x > 0, else alpha (exp(x) - 1).")
    .elementwise(DTypeRule::kFloat)
    .signature("x: Tensor, alpha: float = 1.0")
    .numpy("np.where(x > 0, x, alpha * np.expm1(x))")
    .scalar<kFloats>([](auto m, auto x) {
      return m.select(x > m.constant(x, 0), x, m.attr(0) * m.expm1(x));
    })
    .vjp([](Vjp& v) {
      v.set_grad(
          0, where(greater(v.in(0), 0.0), v.grad(), v.grad() * (v.out() + v.attrs[0].as_float())));
    })
    .sample({.shapes = {{4, 5}}, .attrs = "alpha=0.3"});

}  // namespace msjit
