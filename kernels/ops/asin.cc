#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

#include <cmath>

namespace msjit {

using namespace words;

MSJIT_OP(asin)
    .doc("The inverse sine, in radians.")
    .unary(DTypeRule::kFloat)
    .numpy("np.arcsin(x)")
    .native<kFloats>([](auto m, auto x) { return decltype(x)(std::asin(x.v)); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * rsqrt(1.0 - square(v.in(0)))); })
    .sample({.shapes = {{4, 5}}, .low_high = {-0.9, 0.9}});

}  // namespace msjit
