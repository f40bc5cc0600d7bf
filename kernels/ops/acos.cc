#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(acos)
    .doc("The inverse cosine, in radians.")
    .unary(DTypeRule::kFloat)
    .numpy("np.arccos(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.acos(x); })
    .holomorphic([](auto x) { return std::acos(x); })
    .vjp([](Vjp& v) { v.set_grad(0, neg(v.grad() * rsqrt(1.0 - square(v.in(0))))); })
    .sample({.shapes = {{4, 5}}, .low_high = {-0.9, 0.9}});

}  // namespace msjit
