#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(pow)
    .doc(
        "x to the power y. Integer powers of integers wrap around; a negative exponent gives 0, 1 "
        "or -1.")
    .binary(DTypeRule::kNumeric)
    .numpy("np.power(x, y)")
    .scalar<kNumbers, kFloats>([](auto m, auto x, auto y) {
      if constexpr (!kIsIntNum<decltype(x)>) {
        return m.pow(x, y);
      } else {
        const auto one = m.constant(x, 1), zero = m.constant(x, 0);
        const auto odd = (y & 1) != zero;
        // 1 and -1 are the only integers whose inverse is an integer.
        const auto minus = m.select(x + one == zero, m.select(odd, x, one), zero);
        const auto inverse = m.select(x == one, one, minus);
        return m.select(y < zero, inverse, m.int_power(x, m.select(y < zero, zero, y)));
      }
    })
    .holomorphic([](auto x, auto y) { return std::pow(x, y); })
    .vjp([](Vjp& v) {
      const Val& x = v.in(0);
      const Val y = v.in(1).meta().weak && is_inexact(v.out().dtype())
                        ? cast(v.in(1), v.out().dtype())
                        : v.in(1);
      // The slope of x^0 is 0 at x = 0 too, where the formula would be 0 * inf.
      if (v.needs(0) && v.in(1).meta().weak) {
        v.set_grad(0, v.grad() * (y * pow(x, where(equal(y, 0.0), 1.0, y) - 1.0)));
      } else if (v.needs(0)) {
        const Val both = equal(x, 0.0) * equal(y, 0.0);
        v.set_grad(0, v.grad() * (y * pow(where(both, 1.0, x), y - 1.0)));
      }
      if (v.needs(1) && is_complex(v.out().dtype())) {
        const Val zero = equal(x, 0.0);
        const Val slope = log(where(zero, ones_like(x), x));
        v.set_grad(1, v.grad() * v.out() * slope);
      } else if (v.needs(1)) {
        const Val positive = greater(x, 0.0);
        const Val safe = where(positive, x, ones_like(x));
        v.set_grad(1, v.grad() * v.out() * where(positive, log(safe), zeros_like(x)));
      }
    })
    .sample({.shapes = {{4, 5}, {4, 5}}, .low_high = {0.5, 2}})
    .sample({.shapes = {{5}, {}}, .low_high = {0.5, 2}})
    .sample({.shapes = {{6}, {6}}, .low_high = {0, 4}, .dtypes = {"int32", "int32"}});

}  // namespace msjit
