#include <cmath>

#include "kernels/cpu/random_fill.h"

namespace msjit {

namespace {

void pair(double u, double v, double* out) {  // u in (0, 1]
  const double radius = std::sqrt(-2.0 * std::log(u)), angle = 6.283185307179586477 * v;
  out[0] = radius * std::cos(angle);
  out[1] = radius * std::sin(angle);
}

// Box and Muller, 1958.
void make(const PhiloxBlock& bits, bool wide, double* values) {
  if (wide) {
    const uint64_t a = (static_cast<uint64_t>(bits.word[0]) << 32) | bits.word[1];
    const uint64_t b = (static_cast<uint64_t>(bits.word[2]) << 32) | bits.word[3];
    pair(static_cast<double>((a >> 11) + 1) * 0x1p-53, static_cast<double>(b >> 11) * 0x1p-53,
         values);
    return;
  }
  for (int i = 0; i < 4; i += 2)
    pair((bits.word[i] + 1.0) * 0x1p-32, bits.word[i + 1] * 0x1p-32, values + i);
}

}  // namespace

MSJIT_OP(normal_from)
    .doc("Normal numbers of a mean and standard deviation for a ticket of rng_ticket.")
    .signature(
        "ticket: Tensor, shape: int[], mean: float = 0.0, std: float = 1.0, dtype: dtype = float32")
    .infer(random_infer)
    .cpu([](KernelCtx& ctx) { return random_fill(ctx, make, false); })
    .no_grad();

}  // namespace msjit
