#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(log1p)
    .doc("log(1 + x), exact near 0.")
    .unary(DTypeRule::kFloat)
    .numpy("np.log1p(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.log1p(x); })
    .holomorphic([](auto x) { return std::log(x + decltype(x)(1)); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() / (v.in(0) + 1.0)); })
    .sample({.shapes = {{4, 5}}, .low_high = {-0.5, 4}});

}  // namespace msjit
