#include "kernels/cpu/elementwise.h"

namespace msjit {

MSJIT_OP(round)
    .doc("Rounds to the nearest integer, ties to even.")
    .unary(DTypeRule::kNumeric)
    .numpy("np.rint(x)")
    .scalar<kNumbers>([](auto m, auto x) {
      if constexpr (requires { typename decltype(x)::Type; }) {
        if constexpr (!std::is_floating_point_v<typename decltype(x)::Type>)
          return x;
        else
          return m.rint(x);
      } else {
        return m.is_float(x) ? m.rint(x) : x;
      }
    })
    .no_grad()
    .sample({.shapes = {{4, 5}}, .low_high = {-5, 5}, .check_grad = false})
    .sample({.shapes = {{6}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
