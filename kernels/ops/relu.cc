#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(relu)
    .doc("max(x, 0).")
    .unary(DTypeRule::kNumeric)
    .numpy("np.maximum(x, 0)")
    .scalar<kNumbers>([](auto m, auto x) { return m.nan_max(x, m.constant(x, 0)); })
    .vjp([](Vjp& v) { v.set_grad(0, where(greater(v.out(), 0.0), v.grad(), 0.0)); })
    .sample({.shapes = {{4, 5}}})
    .sample({.shapes = {{6}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
