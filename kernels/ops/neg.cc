#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(neg)
    .doc("The negative.")
    .unary(DTypeRule::kNumeric)
    .numpy("np.negative(x)")
    .scalar<kNumbers>([](auto m, auto x) { return -x; })
    .complex([](auto x) { return -x; })
    .vjp([](Vjp& v) { v.set_grad(0, neg(v.grad())); })
    .sample({.shapes = {{4, 5}}})
    .sample({.shapes = {{6}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
