#include "kernels/core/special_math.h"
#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

extern const OpDef op_zeta;
using namespace words;

MSJIT_OP(trigamma)
    .doc("Second derivative of the logarithm of the gamma function; its own gradient for x > 0.")
    .unary(DTypeRule::kFloat)
    .native<kFloats>([](auto m, auto x) { return decltype(x)(special::trigamma(x.v)); })
    .vjp([](Vjp& v) {
      const Val three = v.constant(3, v.in(0).dtype());
      v.set_grad(0, v.grad() * call(op_zeta, {three, v.in(0)}) * -2.0);
    })
    .sample({.shapes = {{4, 5}}, .low_high = {0.5, 4}});

}  // namespace msjit
