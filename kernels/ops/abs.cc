#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(abs)
    .doc("The absolute value; of complex numbers as complex numbers.")
    .unary(DTypeRule::kNumeric)
    .numpy("np.abs(x)")
    .scalar<kNumbers>([](auto m, auto x) { return m.abs(x); })
    .complex([](auto x) { return decltype(x)(std::abs(x)); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * sign(v.in(0))); })
    .sample({.shapes = {{4, 5}}})
    .sample({.shapes = {{6}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
