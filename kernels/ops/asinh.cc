#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(asinh)
    .doc("The inverse hyperbolic sine.")
    .unary(DTypeRule::kFloat)
    .numpy("np.arcsinh(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.asinh(x); })
    .holomorphic([](auto x) { return std::asinh(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * rsqrt(square(v.in(0)) + 1.0)); })
    .sample({.shapes = {{4, 5}}, .low_high = {-2, 2}});

}  // namespace msjit
