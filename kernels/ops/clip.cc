#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(clip)
    .doc("Limits the elements to [min, max]; a limit of None does not hold. NaN stays NaN.")
    .elementwise(DTypeRule::kNumeric)
    .signature("x: Tensor, min: number? = None, max: number? = None")
    .numpy("np.clip(x, min, max)")
    .scalar<kNumbers>([](auto m, auto x) {
      const auto low = m.has_attr(0) ? m.nan_max(x, m.attr(0)) : x;
      return m.has_attr(1) ? m.nan_min(low, m.attr(1)) : low;
    })
    .vjp([](Vjp& v) {
      // The gradient passes where the value was kept.
      v.set_grad(0, where(equal(v.out(), v.in(0)), v.grad(), zeros_like(v.grad())));
    })
    .sample({.shapes = {{4, 5}}, .attrs = "min=-1.0, max=1.0"})
    .sample(
        {.shapes = {{7}}, .low_high = {-9, 9}, .attrs = "min=-2, max=None", .dtypes = {"int32"}});

}  // namespace msjit
