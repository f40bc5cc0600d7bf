// Philox 4x32-10 for several counters at once, in loops that vectorise.
#pragma once

#include "kernels/core/random.h"

namespace msjit {

template <int N>
struct PhiloxLanes {
  uint32_t word[4][N];  // those of PhiloxBlock, of N blocks
};

// The blocks `block`, block + 1, ...
template <int N>
inline PhiloxLanes<N> philox_lanes(RandomState ticket, uint64_t block) {
  constexpr uint64_t kMul0 = 0xD2511F53u, kMul1 = 0xCD9E8D57u;
  constexpr uint32_t kKey0 = 0x9E3779B9u, kKey1 = 0xBB67AE85u;
  const uint64_t count = static_cast<uint64_t>(ticket.ticket);
  PhiloxLanes<N> lanes;
  auto& c = lanes.word;
  for (int i = 0; i < N; ++i) {
    const uint64_t place = block + static_cast<uint64_t>(i);
    c[0][i] = static_cast<uint32_t>(place);
    c[1][i] = static_cast<uint32_t>(place >> 32);
    c[2][i] = static_cast<uint32_t>(count);
    c[3][i] = static_cast<uint32_t>(count >> 32);
  }
  const uint64_t seed = static_cast<uint64_t>(ticket.seed);
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round, k0 += kKey0, k1 += kKey1) {
    for (int i = 0; i < N; ++i) {
      const uint64_t p0 = kMul0 * c[0][i], p1 = kMul1 * c[2][i];
      c[0][i] = static_cast<uint32_t>(p1 >> 32) ^ c[1][i] ^ k0;
      c[2][i] = static_cast<uint32_t>(p0 >> 32) ^ c[3][i] ^ k1;
      c[1][i] = static_cast<uint32_t>(p1);
      c[3][i] = static_cast<uint32_t>(p0);
    }
  }
  return lanes;
}

}  // namespace msjit
