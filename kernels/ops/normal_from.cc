#include <cmath>

#include "kernels/core/scalar_math.h"
#include "kernels/cpu/random_fill.h"
#include "kernels/device/random.h"

namespace msjit {

namespace {

constexpr double kTurn = 6.283185307179586477;

// Box and Muller, 1958: the radius from a number in (0, 1], the angle from one in [0, 1).
void narrow(const PhiloxLanes<RandomMaker::kLanes>& bits, float (*values)[RandomMaker::kLanes]) {
  // Without AVX-512 only conversions of signed words vectorise.
  const auto number = [](uint32_t word) {
    return static_cast<double>(static_cast<int32_t>(word ^ 0x80000000u)) + 0x1p31;
  };
  for (int k = 0; k < 4; k += 2)
    for (int i = 0; i < RandomMaker::kLanes; ++i) {
      const double u = (number(bits.word[k][i]) + 1.0) * 0x1p-32;
      const auto log = NativeMath<double>::log(Num<double>(u)).v;
      const float radius = std::sqrt(static_cast<float>(-2.0 * log));
      const Num<float> angle(static_cast<float>(number(bits.word[k + 1][i]) * (kTurn * 0x1p-32)));
      values[k][i] = radius * NativeMath<float>::cos(angle).v;
      values[k + 1][i] = radius * NativeMath<float>::sin(angle).v;
    }
}

void device_maths(std::span<const Sym, 4> words, std::span<Sym, 4> values) {
  for (size_t k = 0; k < 4; k += 2) {
    const Sym u = (SymMath::to_double(words[k]) + 1.0) * 0x1p-32;
    const Sym radius = SymMath::sqrt(SymMath::to_float(SymMath::log(u) * -2.0));
    const Sym angle = SymMath::to_float(SymMath::to_double(words[k + 1]) * (kTurn * 0x1p-32));
    values[k] = radius * SymMath::cos(angle);
    values[k + 1] = radius * SymMath::sin(angle);
  }
}

void wide(const PhiloxBlock& bits, double* values) {
  const uint64_t a = (static_cast<uint64_t>(bits.word[0]) << 32) | bits.word[1];
  const uint64_t b = (static_cast<uint64_t>(bits.word[2]) << 32) | bits.word[3];
  const double u = static_cast<double>((a >> 11) + 1) * 0x1p-53;
  const double radius = std::sqrt(-2.0 * std::log(u));
  const double angle = kTurn * (static_cast<double>(b >> 11) * 0x1p-53);
  values[0] = radius * std::cos(angle);
  values[1] = radius * std::sin(angle);
}

}  // namespace

MSJIT_OP(normal_from)
    .doc("Normal numbers of a mean and standard deviation for a ticket of rng_ticket.")
    .signature(
        "ticket: Tensor, shape: int[], mean: float = 0.0, std: float = 1.0, dtype: dtype = float32")
    .infer(random_infer)
    .traits(kTotal | kCreates)
    .cpu([](KernelCtx& ctx) {
      return random_fill(ctx, {narrow, wide}, false);
    })
    .cuda([](KernelCtx& ctx) { return devices::random_fill(ctx, device_maths, false); })
    .no_grad();

}  // namespace msjit
