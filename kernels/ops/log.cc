#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(log)
    .doc("The natural logarithm; NaN below 0, -inf at 0.")
    .unary(DTypeRule::kFloat)
    .numpy("np.log(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.log(x); })
    .holomorphic([](auto x) { return std::log(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() / v.in(0)); })
    .sample({.shapes = {{4, 5}}, .low_high = {0.5, 4}});

}  // namespace msjit
