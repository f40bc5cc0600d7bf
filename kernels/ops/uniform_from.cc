#include "kernels/cpu/random_fill.h"
#include "kernels/device/random.h"

namespace msjit {

namespace {

// 24 random bits.
void narrow(const PhiloxLanes<RandomMaker::kLanes>& bits, float (*values)[RandomMaker::kLanes]) {
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < RandomMaker::kLanes; ++i)
      values[k][i] = static_cast<float>(static_cast<int32_t>(bits.word[k][i] >> 8)) * 0x1p-24f;
}

void device_maths(std::span<const Sym, 4> words, std::span<Sym, 4> values) {
  for (size_t k = 0; k < 4; ++k) {
    const Sym whole = SymMath::cast(SymMath::shr(words[k], 8), DType::kInt32);
    values[k] = SymMath::to_float(whole) * 0x1p-24f;
  }
}

void wide(const PhiloxBlock& bits, double* values) {
  for (int i = 0; i < 2; ++i) {
    const uint64_t word = (static_cast<uint64_t>(bits.word[2 * i]) << 32) | bits.word[2 * i + 1];
    values[i] = static_cast<double>(word >> 11) * 0x1p-53;
  }
}

}  // namespace

MSJIT_OP(uniform_from)
    .doc("Uniform numbers in [low, high) for a ticket of rng_ticket.")
    .signature(
        "ticket: Tensor, shape: int[], low: float = 0.0, high: float = 1.0, dtype: dtype = float32")
    .infer(random_infer)
    .traits(kTotal | kCreates)
    .cpu([](KernelCtx& ctx) {
      return random_fill(ctx, {narrow, wide}, true);
    })
    .cuda([](KernelCtx& ctx) { return devices::random_fill(ctx, device_maths, true); })
    .no_grad();

}  // namespace msjit
