#include "kernels/core/special_math.h"
#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(erfinv)
    .doc("The inverse of erf on (-1, 1).")
    .unary(DTypeRule::kFloat)
    .native<kFloats>([](auto m, auto x) { return decltype(x)(special::erfinv(x.v)); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * exp(square(v.out())) * 0.88622692545275801); })
    .sample({.shapes = {{4, 5}}, .low_high = {-0.9, 0.9}});

}  // namespace msjit
