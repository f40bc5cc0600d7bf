// A GPU's kernel as host code: the IR that becomes PTX, in which what only a GPU has - the place of
// a thread, barriers, exchange between the threads of a warp, shared memory - is asked from
// whoever runs it. It tells on any machine what the kernel computes; nothing is fast about it.
#pragma once

#include <cstdint>

namespace msjit {

inline constexpr int64_t kEmulatedSharedBytes = 2048;

// What one thread sees of the machine. The functions return when all threads they concern have
// called them.
struct EmulatedThread {
  int32_t thread = 0, block = 0, num_blocks = 1;
  void* shared = nullptr;  // kEmulatedSharedBytes, one for all threads of a block
  void (*barrier)(EmulatedThread*) = nullptr;
  // The value of the thread of this warp whose lane is mine ^ `mask`, or `lane`.
  int32_t (*exchange)(EmulatedThread*, int32_t value, int32_t mask) = nullptr;
  int32_t (*broadcast)(EmulatedThread*, int32_t value, int32_t lane) = nullptr;
};

// `parameters` points at the arguments one by one, as a launch of the CUDA driver takes them.
using EmulatedFn = void (*)(void* const* parameters, EmulatedThread* thread);

}  // namespace msjit
