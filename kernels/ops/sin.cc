#include "kernels/core/words.h"
#include "kernels/cpu/complex_loops.h"

#include <cmath>

namespace msjit {

using namespace words;

MSJIT_OP(sin)
    .doc("The sine of radians.")
    .unary(DTypeRule::kFloat)
    .numpy("np.sin(x)")
    .scalar<kFloats, kFloat32s>([](auto m, auto x) {
      if constexpr (std::is_same_v<decltype(x), Num<double>>) {
        return decltype(x)(std::sin(x.v));  // see scalar_trig.h
      } else {
        return m.sin(x);
      }
    })
    .holomorphic([](auto x) { return std::sin(x); })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad() * cos(v.in(0))); })
    .sample({.shapes = {{4, 5}}, .low_high = {-1.2, 1.2}});

}  // namespace msjit
