#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

using namespace words;

MSJIT_OP(where)
    .doc("x where the condition is true, else y.")
    .elementwise(DTypeRule::kSelect)
    .signature("condition: Tensor, x: Tensor, y: Tensor")
    .numpy("np.where(condition, x, y)")
    .scalar<kAllTypes>([](auto m, auto c, auto x, auto y) { return m.select(c, x, y); })
    .complex([](bool c, auto x, auto y) { return c ? x : y; })
    .vjp([](Vjp& v) {
      if (v.needs(1)) v.set_grad(1, where(v.in(0), v.grad(), zeros_like(v.grad())));
      if (v.needs(2)) v.set_grad(2, where(v.in(0), zeros_like(v.grad()), v.grad()));
    })
    .sample({.shapes = {{4, 5}, {4, 5}, {4, 5}}, .dtypes = {"bool", "float32", "float32"}})
    .sample({.shapes = {{4, 1}, {5}, {}}, .dtypes = {"bool", "float32", "float32"}});

}  // namespace msjit
