#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_rng_ticket;
extern const OpDef op_normal_from;
using namespace words;

MSJIT_OP(random_normal)
    .doc("Normal random numbers of a mean and standard deviation.")
    .signature("shape: int[], mean: float = 0.0, std: float = 1.0, dtype: dtype = float32")
    .impure()
    .traits(kRandom)
    .composite([](OpSink* sink, std::span<const Val> in, const Attrs& attrs) -> Vals {
      const Val inputs[] = {call_in(sink, op_rng_ticket, {})};
      return {call_in(sink, op_normal_from, inputs, attrs)};
    })
    .no_grad();

}  // namespace msjit
