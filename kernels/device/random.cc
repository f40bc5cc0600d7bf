#include "kernels/device/random.h"

namespace msjit::devices {
namespace {

// Philox 4x32-10 (kernels/core/philox.h). The block's number is below 2^62.
void philox_words(RoutineMaker& m, Sym block, Sym seed, Sym ticket, std::span<Sym, 4> c) {
  const auto wide = [](Sym v) { return SymMath::cast(v, DType::kUInt64); };
  const auto low = [](Sym v) { return v & 0xffffffff; };
  const Sym place = wide(block), count = wide(ticket), key = wide(seed);
  const Sym mul0 = wide(m.whole(0xD2511F53)), mul1 = wide(m.whole(0xCD9E8D57));
  c[0] = low(place), c[1] = SymMath::shr(place, 32);
  c[2] = low(count), c[3] = SymMath::shr(count, 32);
  Sym k0 = low(key), k1 = SymMath::shr(key, 32);
  for (int round = 0; round < 10; ++round) {
    const Sym p0 = mul0 * c[0], p1 = mul1 * c[2];
    const Sym next0 = SymMath::shr(p1, 32) ^ c[1] ^ k0, next2 = SymMath::shr(p0, 32) ^ c[3] ^ k1;
    c[0] = next0, c[1] = low(p1), c[2] = next2, c[3] = low(p0);
    k0 = low(k0 + 0x9E3779B9), k1 = low(k1 + 0xBB67AE85);
  }
}

// One thread per block of four numbers. Key: dtype, the maths. Arguments: seed, ticket, offset,
// scale, elements.
void fill_routine(RoutineMaker& m, const RoutineKey& key) {
  const auto dtype = static_cast<DType>(key[0]);
  std::array<Sym, 4> words, values;
  const Sym block = m.point(), offset = m.real(2), scale = m.real(3), end = m.number(4);
  philox_words(m, block, m.number(0), m.number(1), words);
  reinterpret_cast<RandomMaths>(key[1])(words, values);
  for (int k = 0; k < 4; ++k) {
    const Sym element = block * 4 + k;
    const Sym scaled = SymMath::to_float(offset + scale * SymMath::to_double(values[k]));
    m.when(element < end, [&] { m.store(0, dtype, element, scaled); });
  }
}

}  // namespace

Status random_fill(KernelCtx& ctx, RandomMaths maths, bool range) {
  const Tensor& out = ctx.out[0];
  if (out.dtype() == DType::kFloat64)
    return not_implemented_error("[{}] float64 numbers on a device", ctx.op.name);
  MSJIT_TRY(const Tensor here, to_host(ctx.in[0]));
  MSJIT_TRY(const Tensor ticket, here.to_contiguous());
  const auto* const state = ticket.data_as<int64_t>();
  const double offset = ctx.attrs[1].as_float();
  const double scale = range ? ctx.attrs[2].as_float() - offset : ctx.attrs[2].as_float();
  return launch(open_context(out.device()), fill_routine,
                {static_cast<int64_t>(out.dtype()), reinterpret_cast<int64_t>(maths)}, {out.data()},
                {state[0], state[1], bits_of_real(offset), bits_of_real(scale), out.numel()},
                (out.numel() + 3) / 4);
}

}  // namespace msjit::devices
