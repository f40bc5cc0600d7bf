#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(atanh)
    .doc("The inverse hyperbolic tangent.")
    .unary(DTypeRule::kFloat)
    .numpy("np.arctanh(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.atanh(x); })
    .holomorphic([](auto x) { return std::atanh(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() / (1.0 - square(v.in(0)))); })
    .sample({.shapes = {{4, 5}}, .low_high = {-0.9, 0.9}});

}  // namespace msjit
