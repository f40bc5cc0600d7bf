#include "kernels/cpu/elementwise.h"

namespace msjit {

MSJIT_OP(isnan)
    .doc("Whether x is NaN.")
    .unary(DTypeRule::kBoolResult)
    .numpy("np.isnan(x)")
    .scalar<kAllTypes>([](auto m, auto x) {
      const auto never = x != x;
      if (!m.is_float(x)) return never;
      return x != x;
    })
    .no_grad()
    .sample({.shapes = {{4, 5}}, .check_grad = false})
    .sample({.shapes = {{6}}, .low_high = {0, 9}, .dtypes = {"int32"}});

}  // namespace msjit
