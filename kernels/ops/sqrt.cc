#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(sqrt)
    .doc("The square root; NaN below 0.")
    .unary(DTypeRule::kFloat)
    .numpy("np.sqrt(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.sqrt(x); })
    .holomorphic([](auto x) { return std::sqrt(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * 0.5 / v.out()); })
    .sample({.shapes = {{4, 5}}, .low_high = {0.5, 4}})
    .sample({.shapes = {{6}}, .low_high = {1, 9}, .dtypes = {"int32"}});

}  // namespace msjit
