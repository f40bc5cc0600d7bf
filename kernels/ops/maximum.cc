#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

MSJIT_OP(maximum)
    .doc("The larger of two tensors, element by element; NaN where either is.")
    .binary(DTypeRule::kPromote)
    .numpy("np.maximum(x, y)")
    .scalar<kAllTypes>([](auto m, auto x, auto y) { return m.nan_max(x, y); })
    .vjp([](Vjp& v) {
      // Equal elements share the gradient.
      const Val first = cast(greater(v.in(0), v.in(1)), v.grad().dtype());
      const Val tie = cast(equal(v.in(0), v.in(1)), v.grad().dtype()) * 0.5;
      v.set_grad(0, v.grad() * (first + tie));
      v.set_grad(1, v.grad() * (1.0 - first - tie));
    })
    .sample({.shapes = {{4, 5}, {4, 5}}})
    .sample({.shapes = {{3, 4}, {4}}})
    .sample({.shapes = {{6}, {6}}, .low_high = {-9, 9}, .dtypes = {"int32", "int32"}});

}  // namespace msjit
