#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(asin)
    .doc("The inverse sine, in radians.")
    .unary(DTypeRule::kFloat)
    .numpy("np.arcsin(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.asin(x); })
    .holomorphic([](auto x) { return std::asin(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * rsqrt(1.0 - square(v.in(0)))); })
    .sample({.shapes = {{4, 5}}, .low_high = {-0.9, 0.9}});

}  // namespace msjit
