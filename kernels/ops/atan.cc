#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(atan)
    .doc("The inverse tangent, in radians.")
    .unary(DTypeRule::kFloat)
    .numpy("np.arctan(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.atan(x); })
    .holomorphic([](auto x) { return std::atan(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() / (square(v.in(0)) + 1.0)); })
    .sample({.shapes = {{4, 5}}, .low_high = {-1.2, 1.2}});

}  // namespace msjit
