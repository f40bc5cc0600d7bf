#include "kernels/cpu/complex_loops.h"

namespace msjit {

MSJIT_OP(sign)
    .doc("-1, 0 or 1 by the sign; NaN stays NaN.")
    .unary(DTypeRule::kNumeric)
    .numpy("np.sign(x)")
    .scalar<kNumbers>([](auto m, auto x) {
      const auto zero = m.constant(x, 0), one = m.constant(x, 1);
      return m.select(x > zero, one, m.select(x < zero, -one, m.select(x == x, zero, x)));
    })
    .complex([](auto x) {
      const auto size = std::abs(x);
      return size == 0 ? x : x / size;
    })
    .no_grad()
    .sample({.shapes = {{4, 5}}, .check_grad = false})
    .sample({.shapes = {{6}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
