#include "kernels/cpu/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "kernels/cpu/serial_scope.h"

namespace msjit {
namespace {

std::atomic<int> g_threads{0};  // 0: not decided yet
// The thread pool of libgomp does not survive fork.
std::atomic<bool> g_forked{false};

// The CPU quota of the container, in whole CPUs; a large number when there is none.
int cpu_quota() {
  constexpr int kNone = 1 << 20;
  double quota = 0, period = 0;
  FILE* const file = std::fopen("/sys/fs/cgroup/cpu.max", "re");
  if (!file) return kNone;
  const bool limited =
      std::fscanf(file, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0;
  std::fclose(file);
  return limited ? static_cast<int>(std::min(std::ceil(quota / period), double{kNone})) : kNone;
}

int default_threads() {
  if (const char* text = std::getenv("MSJIT_NUM_THREADS")) {
    int wanted = std::atoi(text);
    if (wanted >= 1) return std::min(wanted, 1024);
  }
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::clamp(cpu_quota(), 1, std::max(CPU_COUNT(&set), 1));
  return 1;
}

struct ForkHandler {
  ForkHandler() {
    pthread_atfork(nullptr, nullptr, [] { g_forked.store(true, std::memory_order_relaxed); });
  }
};
ForkHandler g_fork_handler;

}  // namespace

namespace {
thread_local int t_serial = 0;
}

SerialScope::SerialScope(bool on) : on_(on) { t_serial += on_; }
SerialScope::~SerialScope() { t_serial -= on_; }

int num_threads() {
  if (t_serial > 0) return 1;
  if (g_forked.load(std::memory_order_relaxed)) return 1;
  int n = g_threads.load(std::memory_order_relaxed);
  if (n == 0) g_threads.store(n = default_threads(), std::memory_order_relaxed);
  return n;
}

void set_num_threads(int n) {
  g_threads.store(n < 1 ? default_threads() : n, std::memory_order_relaxed);
}

namespace parallel_detail {

void run(int64_t n, int64_t grain, int64_t align, Body body, void* context) {
  int64_t most = std::max<int64_t>(n / std::max<int64_t>(grain, 1), 1);
  int threads = static_cast<int>(std::min<int64_t>(num_threads(), most));
  if (threads <= 1 || omp_in_parallel()) return body(context, 0, n);
  int64_t piece = (n + threads - 1) / threads;
  piece = (piece + align - 1) / align * align;
#pragma omp parallel num_threads(threads)
  {
    int64_t begin = piece * omp_get_thread_num();
    int64_t end = std::min(n, begin + piece);
    // If fewer threads came than asked for, the pieces are dealt round-robin.
    for (; begin < n; begin += piece * omp_get_num_threads(), end = std::min(n, begin + piece)) {
      body(context, begin, end);
    }
  }
}

}  // namespace parallel_detail

}  // namespace msjit
