// Splits a loop over threads. The body runs in the calling thread when there is at most one grain
// of work, inside another parallel region, and in a forked child. The number of threads is
// MSJIT_NUM_THREADS, or else the CPUs that this process may use.
#pragma once

#include <cstdint>
#include <type_traits>

namespace msjit {

int num_threads();
void set_num_threads(int n);  // n < 1 restores the default

inline constexpr int64_t kElementGrain = 32768;

namespace parallel_detail {
using Body = void (*)(void* context, int64_t begin, int64_t end);
void run(int64_t n, int64_t grain, int64_t align, Body body, void* context);
}  // namespace parallel_detail

// Calls f(begin, end) on disjoint ranges covering [0, n), each of at least `grain` iterations and
// starting at a multiple of `align`.
template <class F>
inline void parallel_for(int64_t n, int64_t grain, F&& f, int64_t align = 1) {
  if (n <= grain) {
    if (n > 0) f(int64_t{0}, n);
    return;
  }
  parallel_detail::run(
      n, grain, align,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<std::remove_reference_t<F>*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&f)));
}

}  // namespace msjit
