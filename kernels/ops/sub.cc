#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(sub)
    .doc("Difference of two tensors, element by element.")
    .binary(DTypeRule::kNumeric)
    .numpy("np.subtract(x, y)")
    .scalar<kNumbers>([](auto m, auto x, auto y) { return x - y; })
    .complex([](auto x, auto y) { return x - y; })
    .vjp([](Vjp& v) {
      v.set_grad(0, v.grad());
      v.set_grad(1, neg(v.grad()));
    })
    .sample({.shapes = {{4, 5}, {4, 5}}})
    .sample({.shapes = {{2, 3, 4}, {3, 1}}})
    .sample({.shapes = {{7}, {}}, .dtypes = {"int32", "int32"}});

}  // namespace msjit
