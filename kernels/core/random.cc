#include "kernels/core/random.h"

#include <mutex>

#include "kernels/core/philox.h"

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
  const auto lanes = philox_lanes<1>(ticket, block);
  return {{lanes.word[0][0], lanes.word[1][0], lanes.word[2][0], lanes.word[3][0]}};
}

}  // namespace msjit
