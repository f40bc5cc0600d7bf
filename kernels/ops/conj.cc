#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

MSJIT_OP(conj)
    .doc("The complex conjugate; of real numbers, the numbers themselves.")
    .unary(DTypeRule::kPromote)
    .numpy("np.conj(x)")
    .scalar<kAllTypes>([](auto m, auto x) { return x; })
    .complex([](auto x) { return std::conj(x); })
    .vjp([](Vjp& v) { v.set_grad(0, words::conj(v.grad())); })
    .sample({.shapes = {{4, 5}}})
    .sample({.shapes = {{4, 5}}, .dtypes = {"complex64"}});

}  // namespace msjit
