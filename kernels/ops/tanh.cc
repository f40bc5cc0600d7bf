#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(tanh)
    .doc("The hyperbolic tangent.")
    .unary(DTypeRule::kFloat)
    .numpy("np.tanh(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.tanh(x); })
    .holomorphic([](auto x) { return std::tanh(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * (1.0 - v.out() * v.out())); })
    .sample({.shapes = {{4, 5}}})
    .sample({.shapes = {{6}}, .low_high = {-3, 3}, .dtypes = {"float64"}});

}  // namespace msjit
