#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

MSJIT_OP(mul)
    .doc("Product of two tensors, element by element; on bool the logical and.")
    .binary(DTypeRule::kPromote)
    .traits(kCommutative | kScalarYields)
    .numpy("np.multiply(x, y)")
    .scalar<kAllTypes>([](auto m, auto x, auto y) { return x * y; })
    .holomorphic([](auto x, auto y) { return complex_detail::product(x, y); })
    .vjp([](Vjp& v) {
      using namespace words;
      if (v.needs(0)) v.set_grad(0, v.grad() * v.in(1));
      if (v.needs(1)) v.set_grad(1, v.grad() * v.in(0));
    })
    .sample({.shapes = {{4, 5}, {4, 5}}})
    .sample({.shapes = {{2, 3, 4}, {3, 1}}})
    .sample({.shapes = {{7}, {}}, .dtypes = {"int32", "int32"}})
    .sample({.shapes = {{3, 3}, {3}}, .dtypes = {"bool", "uint8"}})
    .sample({.shapes = {{2, 3, 4}, {3, 1}}, .dtypes = {"complex64", "complex64"}});

}  // namespace msjit
