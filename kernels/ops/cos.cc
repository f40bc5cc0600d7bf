#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

#include <cmath>

namespace msjit {

using namespace words;

MSJIT_OP(cos)
    .doc("The cosine of radians.")
    .unary(DTypeRule::kFloat)
    .numpy("np.cos(x)")
    .native<kFloats>([](auto m, auto x) { return decltype(x)(std::cos(x.v)); })
    .vjp([](Vjp& v) { v.set_grad(0, neg(v.grad() * sin(v.in(0)))); })
    .sample({.shapes = {{4, 5}}, .low_high = {-1.2, 1.2}});

}  // namespace msjit
