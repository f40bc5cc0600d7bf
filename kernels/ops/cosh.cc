#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(cosh)
    .doc("The hyperbolic cosine.")
    .unary(DTypeRule::kFloat)
    .numpy("np.cosh(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.cosh(x); })
    .holomorphic([](auto x) { return std::cosh(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * (exp(v.in(0)) - exp(neg(v.in(0)))) * 0.5); })
    .sample({.shapes = {{4, 5}}, .low_high = {-1.2, 1.2}});

}  // namespace msjit
