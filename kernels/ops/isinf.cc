#include "kernels/cpu/elementwise.h"

#include <limits>

namespace msjit {

MSJIT_OP(isinf)
    .doc("Whether x is infinite.")
    .unary(DTypeRule::kBoolResult)
    .numpy("np.isinf(x)")
    .scalar<kAllTypes>([](auto m, auto x) {
      const auto never = x != x;
      if (!m.is_float(x)) return never;
      return m.abs(x) == m.constant(x, std::numeric_limits<double>::infinity());
    })
    .no_grad()
    .sample({.shapes = {{4, 5}}, .check_grad = false})
    .sample({.shapes = {{6}}, .low_high = {0, 9}, .dtypes = {"int32"}});

}  // namespace msjit
