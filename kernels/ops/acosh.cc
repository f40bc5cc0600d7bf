#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(acosh)
    .doc("The inverse hyperbolic cosine.")
    .unary(DTypeRule::kFloat)
    .numpy("np.arccosh(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.acosh(x); })
    .holomorphic([](auto x) { return std::acosh(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * rsqrt(v.in(0) - 1.0) * rsqrt(v.in(0) + 1.0)); })
    .sample({.shapes = {{4, 5}}, .low_high = {1.2, 3}});

}  // namespace msjit
