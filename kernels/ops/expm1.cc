#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(expm1)
    .doc("e to the power x, minus 1, exact near 0.")
    .unary(DTypeRule::kFloat)
    .numpy("np.expm1(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.expm1(x); })
    .holomorphic([](auto x) { return std::exp(x) - decltype(x)(1); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * (v.out() + 1.0)); })
    .sample({.shapes = {{4, 5}}});

}  // namespace msjit
