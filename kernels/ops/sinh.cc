#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

namespace msjit {

extern const OpDef op_cosh;

using namespace words;

MSJIT_OP(sinh)
    .doc("The hyperbolic sine.")
    .unary(DTypeRule::kFloat)
    .numpy("np.sinh(x)")
    .scalar<kFloats>([](auto m, auto x) { return m.sinh(x); })
    .holomorphic([](auto x) { return std::sinh(x); })
    .vjp([](Vjp& v) {  // cosh as a square root would have the right sign for real numbers only
      const Val slope =
          is_complex(v.in(0).dtype()) ? call(op_cosh, {v.in(0)}) : sqrt(square(v.out()) + 1.0);
      v.set_grad(0, v.grad() * slope);
    })
    .sample({.shapes = {{4, 5}}, .low_high = {-1.2, 1.2}});

}  // namespace msjit
