// A GPU kernel as host code, made of the IR that becomes PTX. Where the kernel uses what only a GPU
// has (thread and block index, barriers, exchange between the threads of a warp, shared memory), it
// calls functions of an EmulatedThread. This shows on any machine what the kernel computes. It is
// slow.
#pragma once

#include <cstdint>

namespace msjit {

inline constexpr int64_t kEmulatedSharedBytes = 2048;

// The machine as one thread sees it. barrier, exchange and broadcast return when all threads that
// take part have called them.
struct EmulatedThread {
  int32_t thread = 0, block = 0, num_blocks = 1;
  void* shared = nullptr;  // kEmulatedSharedBytes, one for all threads of a block
  void (*barrier)(EmulatedThread*) = nullptr;
  // The value that another thread of the warp passes: the one with lane (mine ^ `mask`), or `lane`.
  int32_t (*exchange)(EmulatedThread*, int32_t value, int32_t mask) = nullptr;
  int32_t (*broadcast)(EmulatedThread*, int32_t value, int32_t lane) = nullptr;
};

// `parameters` points at pointers to the arguments, as for a launch by the CUDA driver.
using EmulatedFn = void (*)(void* const* parameters, EmulatedThread* thread);

}  // namespace msjit
