#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(reciprocal)
    .doc("One over x.")
    .unary(DTypeRule::kFloat)
    .numpy("1 / x")
    .scalar<kFloats>([](auto m, auto x) { return m.constant(x, 1) / x; })
    .holomorphic([](auto x) { return decltype(x)(1) / x; })
    .vjp([](Vjp& v) { v.set_grad(0, neg(v.grad() * v.out() * v.out())); })
    .sample({.shapes = {{4, 5}}, .low_high = {0.5, 4}});

}  // namespace msjit
