#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_rng_ticket;
extern const OpDef op_uniform_from;
using namespace words;

MSJIT_OP(dropout)
    .doc("Sets each element to 0 with probability p and divides the others by 1 - p.")
    .signature("x: Tensor, p: float = 0.5")
    .impure()
    .traits(kRandom)
    .composite([](OpSink* sink, std::span<const Val> in, const Attrs& attrs) -> Vals {
      const double p = attrs[0].as_float();
      if (!(p >= 0 && p <= 1)) {
        sink->poison(value_error("[dropout] p, got {}, expected a number in [0, 1]", p));
        return {Val()};
      }
      const Val& x = in[0];
      const Val inputs[] = {call_in(sink, op_rng_ticket, {})};
      const IntList shape(std::span<const int64_t>(x.shape()));
      const Val draw =
          call_in(sink, op_uniform_from, inputs, Attrs{shape, 0.0, 1.0, DType::kFloat32});
      const double scale = p < 1 ? 1 / (1 - p) : 0;
      return {where(greater_equal(draw, p), x * scale, zeros_like(x))};
    });

}  // namespace msjit
