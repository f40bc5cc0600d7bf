#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

#include <cmath>

namespace msjit {

using namespace words;

MSJIT_OP(tan)
    .doc("The tangent of radians.")
    .unary(DTypeRule::kFloat)
    .numpy("np.tan(x)")
    .scalar<kFloats, kFloat32s>([](auto m, auto x) {
      if constexpr (std::is_same_v<decltype(x), Num<double>>) {
        return decltype(x)(std::tan(x.v));  // see scalar_trig.h
      } else {
        return m.tan(x);
      }
    })
    .holomorphic([](auto x) { return std::tan(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * (square(v.out()) + 1.0)); })
    .sample({.shapes = {{4, 5}}, .low_high = {-1.2, 1.2}});

}  // namespace msjit
