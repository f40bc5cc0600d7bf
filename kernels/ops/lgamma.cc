#include "kernels/core/special_math.h"
#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

extern const OpDef op_digamma;
using namespace words;

MSJIT_OP(lgamma)
    .doc("Logarithm of the absolute value of the gamma function.")
    .unary(DTypeRule::kFloat)
    .native<kFloats>([](auto m, auto x) { return decltype(x)(special::lgamma(x.v)); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * call(op_digamma, {v.in(0)})); })
    .sample({.shapes = {{4, 5}}, .low_high = {0.5, 4}});

}  // namespace msjit
