#include "kernels/cpu/elementwise.h"

namespace msjit {

MSJIT_OP(ceil)
    .doc("Rounds up.")
    .unary(DTypeRule::kNumeric)
    .numpy("np.ceil(x)")
    .scalar<kNumbers>([](auto m, auto x) {
      if constexpr (requires { typename decltype(x)::Type; }) {
        if constexpr (!std::is_floating_point_v<typename decltype(x)::Type>)
          return x;
        else
          return m.ceil(x);
      } else {
        return m.is_float(x) ? m.ceil(x) : x;
      }
    })
    .no_grad()
    .sample({.shapes = {{4, 5}}, .low_high = {-5, 5}, .check_grad = false})
    .sample({.shapes = {{6}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
