#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_rng_ticket;
extern const OpDef op_uniform_from;
using namespace words;

MSJIT_OP(random_uniform)
    .doc("Uniform random numbers in [low, high).")
    .signature("shape: int[], low: float = 0.0, high: float = 1.0, dtype: dtype = float32")
    .impure()
    .traits(kRandom)
    .composite([](OpSink* sink, std::span<const Val> in, const Attrs& attrs) -> Vals {
      const Val inputs[] = {call_in(sink, op_rng_ticket, {})};
      return {call_in(sink, op_uniform_from, inputs, attrs)};
    })
    .no_grad();

}  // namespace msjit
