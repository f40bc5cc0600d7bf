#include "kernels/cpu/complex_loops.h"

namespace msjit {

MSJIT_OP(add)
    .doc("Sum of two tensors, element by element; on bool the logical or.")
    .binary(DTypeRule::kPromote)
    .traits(kCommutative)
    .numpy("np.add(x, y)")
    .scalar<kAllTypes>([](auto m, auto x, auto y) { return x + y; })
    .complex([](auto x, auto y) { return x + y; })
    .vjp([](Vjp& v) {
      v.set_grad(0, v.grad());
      v.set_grad(1, v.grad());
    })
    .sample({.shapes = {{4, 5}, {4, 5}}})
    .sample({.shapes = {{2, 3, 4}, {3, 1}}})
    .sample({.shapes = {{7}, {}}, .dtypes = {"int32", "int32"}})
    .sample({.shapes = {{3, 3}, {3}}, .dtypes = {"float16", "float16"}})
    .sample({.shapes = {{3, 3}, {3}}, .dtypes = {"int64", "float32"}})
    .sample({.shapes = {{2, 3}, {3}}, .dtypes = {"complex128", "float64"}})
    .sample({.shapes = {{6}, {6}}, .low_high = {0, 9}, .dtypes = {"uint16", "uint16"}});

}  // namespace msjit
