// Whether any float of an array has a property. Used to find values that a library treats
// differently (NaN, infinities). A block has no early exit, so the search runs at the speed of
// memory.
#pragma once

#include <atomic>

#include "kernels/cpu/parallel.h"

namespace msjit {

template <class F>
bool any_of_floats(const float* x, int64_t size, F&& f) {
  constexpr int64_t kBlock = 4096;
  std::atomic<bool> found = false;
  parallel_for(size, kElementGrain, [&](int64_t begin, int64_t end) {
    for (; begin < end && !found.load(std::memory_order_relaxed); begin += kBlock) {
      int32_t any = 0;
      int64_t stop = begin + kBlock < end ? begin + kBlock : end;
      for (int64_t i = begin; i < stop; ++i) any |= f(x[i]) ? -1 : 0;
      if (any) found.store(true, std::memory_order_relaxed);
    }
  });
  return found.load();
}

}  // namespace msjit
