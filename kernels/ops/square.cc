#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(square)
    .doc("The square.")
    .unary(DTypeRule::kNumeric)
    .numpy("np.square(x)")
    .scalar<kNumbers>([](auto m, auto x) { return x * x; })
    .holomorphic([](auto x) { return complex_detail::product(x, x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * v.in(0) * 2.0); })
    .sample({.shapes = {{4, 5}}})
    .sample({.shapes = {{6}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
