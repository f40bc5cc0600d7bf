#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"

namespace msjit {

using namespace words;

namespace {

constexpr double kSmallest = 1e-12;  // of a probability whose logarithm is taken, as in MindSpore

}  // namespace

MSJIT_OP(binary_cross_entropy_terms)
    .doc(
        "Cross entropy of each probability p in [0, 1] against its label y. At 0 and 1 the slope "
        "is MindSpore's, (p - y) / 1e-12.")
    .binary(DTypeRule::kFloat)
    .scalar<kFloats>([](auto m, auto p, auto y) {
      const auto one = m.constant(p, 1), least = m.constant(p, kSmallest);
      const auto log_of = [&](auto q) { return m.log(m.nan_max(q, least)); };
      return -(y * log_of(p) + (one - y) * log_of(one - p));
    })
    .vjp([](Vjp& v) {
      const Val &p = v.in(0), &y = v.in(1);
      if (v.needs(0)) v.set_grad(0, v.grad() * ((p - y) / maximum(p * (1.0 - p), kSmallest)));
      if (v.needs(1))
        v.set_grad(1, v.grad() * (log(maximum(1.0 - p, kSmallest)) - log(maximum(p, kSmallest))));
    })
    .sample({.shapes = {{4, 5}, {4, 5}}, .low_high = {0.1, 0.9}});

}  // namespace msjit
