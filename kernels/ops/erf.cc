#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(erf)
    .doc("The error function.")
    .unary(DTypeRule::kFloat)
    .scalar<kFloats>([](auto m, auto x) { return m.erf(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * exp(neg(square(v.in(0)))) * 1.12837916709551257); })
    .sample({.shapes = {{4, 5}}});

}  // namespace msjit
