// Per-thread state of eager execution: whether ops are recorded, and how many ran.
// One small plain struct so that the hot path pays a single thread-local access.
#pragma once

#include <atomic>
#include <cstdint>

namespace msjit {

struct EagerState {
  int level = 0;          // enclosing grad transforms
  bool recording = true;  // false inside no_grad
  bool counted = false;   // the counter is registered with the totals
  std::atomic<int64_t> ops{0};  // written by this thread only
};

// initial-exec: 24 bytes fit the reserve every libc keeps for libraries loaded later, and access is one instruction.
extern thread_local constinit EagerState eager_state __attribute__((tls_model("initial-exec")));

}  // namespace msjit
