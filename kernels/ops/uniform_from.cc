#include "kernels/cpu/random_fill.h"

namespace msjit {

namespace {

// 24 random bits for float32 and shorter, 53 for float64.
void make(const PhiloxBlock& bits, bool wide, double* values) {
  for (int i = 0; i < (wide ? 2 : 4); ++i) {
    if (wide) {
      const uint64_t word = (static_cast<uint64_t>(bits.word[2 * i]) << 32) | bits.word[2 * i + 1];
      values[i] = static_cast<double>(word >> 11) * 0x1p-53;
    } else {
      values[i] = static_cast<double>(bits.word[i] >> 8) * 0x1p-24;
    }
  }
}

}  // namespace

MSJIT_OP(uniform_from)
    .doc("Uniform numbers in [low, high) for a ticket of rng_ticket.")
    .signature(
        "ticket: Tensor, shape: int[], low: float = 0.0, high: float = 1.0, dtype: dtype = float32")
    .infer(random_infer)
    .cpu([](KernelCtx& ctx) { return random_fill(ctx, make, true); })
    .no_grad();

}  // namespace msjit
