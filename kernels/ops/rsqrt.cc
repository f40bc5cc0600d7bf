#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(rsqrt)
    .doc("One over the square root.")
    .unary(DTypeRule::kFloat)
    .numpy("1 / np.sqrt(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.constant(x, 1) / m.sqrt(x); })
    .holomorphic([](auto x) { return decltype(x)(1) / std::sqrt(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * -0.5 * v.out() * v.out() * v.out()); })
    .sample({.shapes = {{4, 5}}, .low_high = {0.5, 4}});

}  // namespace msjit
