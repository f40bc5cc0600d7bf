#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

extern const OpDef op_erf;

using namespace words;

MSJIT_OP(gelu)
    .doc("x times the normal distribution function: x / 2 (1 + erf(x / sqrt 2)).")
    .unary(DTypeRule::kFloat)
    .scalar<kFloats>([](auto m, auto x) {
      return x * m.constant(x, 0.5) *
             (m.constant(x, 1) + m.erf(x * m.constant(x, 0.70710678118654752440)));
    })
    .vjp([](Vjp& v) {
      const Val& x = v.in(0);
      const Val cumulative = (call(op_erf, {x * 0.70710678118654752440}) + 1.0) * 0.5;
      v.set_grad(0, v.grad() * (cumulative + x * exp(square(x) * -0.5) * 0.39894228040143267794));
    })
    .sample({.shapes = {{4, 5}}, .low_high = {0.2, 2}})
    .sample({.shapes = {{4, 5}}, .low_high = {-2, -0.2}});

}  // namespace msjit
