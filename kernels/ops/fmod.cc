#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

#include <cmath>

namespace msjit {

using namespace words;

MSJIT_OP(fmod)
    .doc("Remainder with the sign of the dividend, as in C; 0 for an integer divisor of 0.")
    .binary(DTypeRule::kNumeric)
    .numpy("np.fmod(x, y)")
    .native<kNumbers>([](auto m, auto x, auto y) {
      using T = typename decltype(x)::Type;
      if constexpr (std::is_floating_point_v<T>) {
        return decltype(x)(std::fmod(x.v, y.v));
      } else {
        return m.rem(x, y);
      }
    })
    .vjp([](Vjp& v) {
      v.set_grad(0, v.grad());
      v.set_grad(1, v.grad() * (v.out() - v.in(0)) / v.in(1));
    })
    .sample({.shapes = {{4, 5}, {4, 5}}, .low_high = {0.6, 3}, .check_grad = false})
    .sample({.shapes = {{9}, {9}},
             .low_high = {-9, 9},
             .dtypes = {"int32", "int32"},
             .check_grad = false});

}  // namespace msjit
