#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(sinh)
    .doc("The hyperbolic sine.")
    .unary(DTypeRule::kFloat)
    .numpy("np.sinh(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.sinh(x); })
    .holomorphic([](auto x) { return std::sinh(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * sqrt(square(v.out()) + 1.0)); })
    .sample({.shapes = {{4, 5}}, .low_high = {-1.2, 1.2}});

}  // namespace msjit
