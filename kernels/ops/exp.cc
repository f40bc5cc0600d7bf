#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(exp)
    .doc("e to the power x.")
    .unary(DTypeRule::kFloat)
    .numpy("np.exp(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.exp(x); })
    .holomorphic([](auto x) { return std::exp(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * v.out()); })
    .sample({.shapes = {{4, 5}}})
    .sample({.shapes = {{6}}, .low_high = {-3, 3}, .dtypes = {"float64"}})
    .sample({.shapes = {{6}}, .low_high = {-3, 3}, .dtypes = {"float16"}})
    .sample({.shapes = {{4, 5}}, .dtypes = {"complex64"}});

}  // namespace msjit
