#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(relu6)
    .doc("min(max(x, 0), 6).")
    .unary(DTypeRule::kNumeric)
    .numpy("np.minimum(np.maximum(x, 0), 6)")
    .scalar<kNumbers>([](auto m, auto x) {
      return m.nan_min(m.nan_max(x, m.constant(x, 0)), m.constant(x, 6));
    })
    .vjp([](Vjp& v) {
      v.set_grad(0, v.grad() * cast(greater(v.in(0), 0.0), v.grad().dtype()) *
                        cast(less_equal(v.in(0), 6.0), v.grad().dtype()));
    })
    .sample({.shapes = {{4, 5}}, .low_high = {-3, 9}});

}  // namespace msjit
