#include "kernels/cpu/elementwise.h"

namespace msjit {

MSJIT_OP(floor)
    .doc("Rounds down.")
    .unary(DTypeRule::kNumeric)
    .numpy("np.floor(x)")
    .scalar<kNumbers>([](auto m, auto x) {
      if constexpr (requires { typename decltype(x)::Type; }) {
        if constexpr (!std::is_floating_point_v<typename decltype(x)::Type>)
          return x;
        else
          return m.floor(x);
      } else {
        return m.is_float(x) ? m.floor(x) : x;
      }
    })
    .no_grad()
    .sample({.shapes = {{4, 5}}, .low_high = {-5, 5}, .check_grad = false})
    .sample({.shapes = {{6}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
