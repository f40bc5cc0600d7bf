#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

#include <cmath>

namespace msjit {

using namespace words;

MSJIT_OP(erfc)
    .doc("1 - erf(x), exact where erf is close to 1.")
    .unary(DTypeRule::kFloat)
    .native<kFloats>([](auto m, auto x) { return decltype(x)(std::erfc(x.v)); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * exp(neg(square(v.in(0)))) * -1.12837916709551257); })
    .sample({.shapes = {{4, 5}}, .low_high = {-2, 2}});

}  // namespace msjit
