#include "kernels/cpu/elementwise.h"

#include <cmath>

namespace msjit {

MSJIT_OP(floor_div)
    .doc(
        "Quotient rounded towards negative infinity, as // in Python; 0 for an integer divisor of "
        "0.")
    .binary(DTypeRule::kNumeric)
    .numpy("np.floor_divide(x, y)")
    .native<kNumbers>([](auto m, auto x, auto y) {
      using T = typename decltype(x)::Type;
      if constexpr (std::is_floating_point_v<T>) {
        // Computed from the exact remainder, as in Python: a rounded x / y could reach the next
        // integer. An infinite y must not be added to anything.
        if (y.v == 0) return decltype(x)(x.v / y.v);
        const T rest = std::fmod(x.v, y.v);
        T quotient = (x.v - rest) / y.v;
        if (rest != 0 && (rest < 0) != (y.v < 0)) quotient -= 1;
        const T whole = std::floor(quotient);
        const T nearest = quotient - whole > T(0.5) ? whole + 1 : whole;
        return decltype(x)(quotient == 0 ? std::copysign(T(0), x.v / y.v) : nearest);
      } else {
        const auto rest = m.rem(x, y);
        const auto zero = m.constant(x, 0);
        const auto quotient = x / y;
        const auto one = m.constant(x, 1);
        return m.select((rest != zero) & ((rest < zero) != (y < zero)), quotient - one, quotient);
      }
    })
    .no_grad()
    .sample({.shapes = {{4, 5}, {4, 5}}, .low_high = {0.6, 3}, .check_grad = false})
    .sample({.shapes = {{9}, {9}},
             .low_high = {1, 9},
             .dtypes = {"int32", "int32"},
             .check_grad = false});

}  // namespace msjit
