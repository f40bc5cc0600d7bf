// Per-thread state of eager execution: whether ops are recorded, how many ran, how many tape nodes
// live. It is one small plain struct, so the hot path makes a single thread-local access.
#pragma once

#include <atomic>
#include <cstdint>

namespace msjit {

struct EagerState {
  int level = 0;          // enclosing grad transforms
  bool recording = true;  // false inside no_grad
  bool counted = false;   // the counter is registered with the totals
  bool hooked = false;    // the program packs the tensors kept for gradients (saved_hooks.h)
  // Written by this thread only, read by all.
  std::atomic<int64_t> ops{0};
  std::atomic<int64_t> nodes{0};  // made minus freed here
};

// initial-exec: its 32 bytes fit the space that every libc reserves for libraries loaded later. An
// access is one instruction.
extern thread_local constinit EagerState eager_state __attribute__((tls_model("initial-exec")));

void register_eager_state();  // lets the totals see this thread's counters

inline void add_relaxed(std::atomic<int64_t>& counter, int64_t delta) {
  // One writer, so no locked instruction is needed.
  counter.store(counter.load(std::memory_order_relaxed) + delta, std::memory_order_relaxed);
}

inline void count_op(EagerState& state) {
  if (!state.counted) [[unlikely]]
    register_eager_state();
  add_relaxed(state.ops, 1);
}

inline void count_nodes(int64_t delta) {
  EagerState& state = eager_state;
  if (!state.counted) [[unlikely]]
    register_eager_state();
  add_relaxed(state.nodes, delta);
}

}  // namespace msjit
