#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(div)
    .doc("Quotient of two tensors; integers are divided as float32.")
    .binary(DTypeRule::kFloat)
    .traits(kScalarYields)
    .numpy("np.divide(x, y)")
    .scalar<kFloats>([](auto m, auto x, auto y) { return x / y; })
    .holomorphic([](auto x, auto y) { return x / y; })
    .vjp([](Vjp& v) {
      const Val g = v.grad() / v.in(1);
      v.set_grad(0, g);
      v.set_grad(1, neg(g * v.out()));
    })
    .sample({.shapes = {{4, 5}, {4, 5}}, .low_high = {0.5, 2}})
    .sample({.shapes = {{2, 3, 4}, {3, 1}}, .low_high = {0.5, 2}})
    .sample({.shapes = {{7}, {7}}, .low_high = {1, 9}, .dtypes = {"int32", "int32"}});

}  // namespace msjit
