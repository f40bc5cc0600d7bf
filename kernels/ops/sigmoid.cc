#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(sigmoid)
    .doc("1 / (1 + exp(-x)).")
    .unary(DTypeRule::kFloat)
    .numpy("1 / (1 + np.exp(-x))")
    .scalar<kFloats>([](auto m, auto x) { return m.sigmoid(x); })
    .holomorphic([](auto x) { return decltype(x)(1) / (decltype(x)(1) + std::exp(-x)); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * v.out() * (1.0 - v.out())); })
    .sample({.shapes = {{4, 5}}});

}  // namespace msjit
