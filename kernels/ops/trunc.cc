#include "kernels/cpu/elementwise.h"

namespace msjit {

MSJIT_OP(trunc)
    .doc("Rounds towards 0.")
    .unary(DTypeRule::kNumeric)
    .numpy("np.trunc(x)")
    .scalar<kNumbers>([](auto m, auto x) {
      if constexpr (requires { typename decltype(x)::Type; }) {
        if constexpr (!std::is_floating_point_v<typename decltype(x)::Type>)
          return x;
        else
          return m.trunc(x);
      } else {
        return m.is_float(x) ? m.trunc(x) : x;
      }
    })
    .no_grad()
    .sample({.shapes = {{4, 5}}, .low_high = {-5, 5}, .check_grad = false})
    .sample({.shapes = {{6}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
