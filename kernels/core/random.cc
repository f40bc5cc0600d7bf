#include "kernels/core/random.h"

#include <mutex>

namespace msjit {
namespace {

std::mutex g_mutex;
RandomState g_state;

}  // namespace

RandomState random_state() {
  const std::lock_guard lock(g_mutex);
  return g_state;
}

void set_random_state(RandomState state) {
  const std::lock_guard lock(g_mutex);
  g_state = state;
}

void set_random_seed(int64_t seed) { set_random_state({seed, 0}); }

RandomState draw_ticket() {
  const std::lock_guard lock(g_mutex);
  RandomState drawn = g_state;
  ++g_state.ticket;
  return drawn;
}

PhiloxBlock philox(RandomState ticket, uint64_t block) {
  constexpr uint64_t kMul0 = 0xD2511F53u, kMul1 = 0xCD9E8D57u;
  constexpr uint32_t kKey0 = 0x9E3779B9u, kKey1 = 0xBB67AE85u;
  const uint64_t count = static_cast<uint64_t>(ticket.ticket);
  uint32_t c[4] = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                   static_cast<uint32_t>(count), static_cast<uint32_t>(count >> 32)};
  const uint64_t seed = static_cast<uint64_t>(ticket.seed);
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round, k0 += kKey0, k1 += kKey1) {
    const uint64_t p0 = kMul0 * c[0], p1 = kMul1 * c[2];
    const uint32_t next0 = static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0;
    const uint32_t next2 = static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1;
    c[1] = static_cast<uint32_t>(p1);
    c[3] = static_cast<uint32_t>(p0);
    c[0] = next0;
    c[2] = next2;
  }
  return {{c[0], c[1], c[2], c[3]}};
}

}  // namespace msjit
