#include "kernels/core/special_math.h"
#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(zeta)
    .doc(
        "The zeta function of Hurwitz, the sum over k >= 0 of (y + k)^-x, for x > 1; of y < 0 for "
        "integers x alone; differentiated by y alone.")
    .binary(DTypeRule::kFloat)
    .native<kFloats>([](auto m, auto x, auto y) {
      return decltype(x)(special::hurwitz_zeta(x.v, y.v));
    })
    .vjp([](Vjp& v) {
      if (v.needs(1)) v.set_grad(1, v.grad() * -v.in(0) * call(*v.op, {v.in(0) + 1.0, v.in(1)}));
    })
    .sample({.shapes = {{4, 5}, {4, 5}}, .low_high = {1.5, 4}, .check_grad = false});

}  // namespace msjit
