#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(atan2)
    .doc("The inverse tangent of x / y, in radians, in the quadrant of the point (y, x).")
    .binary(DTypeRule::kFloat)
    .numpy("np.arctan2(x, y)")
    .scalar<kFloats>([](auto m, auto x, auto y) { return m.atan2(x, y); })
    .vjp([](Vjp& v) {
      const Val slope = v.grad() / (square(v.in(0)) + square(v.in(1)));
      v.set_grad(0, slope * v.in(1));
      v.set_grad(1, neg(slope * v.in(0)));
    })
    .sample({.shapes = {{4, 5}, {4, 5}}, .low_high = {0.3, 2}})
    .sample({.shapes = {{2, 3}, {3}}, .low_high = {0.3, 2}});

}  // namespace msjit
