#include "interp_hook/trial.h"

#include <algorithm>

#include "kernels/core/log.h"

namespace msjit {
namespace {

// Microseconds. A shorter call is seldom slower than the interpreter, and hard to time.
constexpr double kWorthTiming = 20;
// An entry loses that takes this many times the interpreter's time.
constexpr double kClearly = 1.1;
constexpr int kLosses = 2;
constexpr int64_t kLater = 8;  // the second trial comes after this many times the hits

// MSJIT_TRIAL=lose: every entry, however short, is tried early and loses.
bool must_lose() {
  static const bool lose = env_text("MSJIT_TRIAL") == "lose";
  return lose;
}

}  // namespace

Trial::Trial(int64_t first) : next_(must_lose() ? 4 : first) {}

void Trial::restart(int64_t next) {
  next_ = next;
  timed_ = 0;
  entry_us_ = 0;
}

void Trial::entry_took(double us) {
  entry_us_ = timed_++ == 0 ? us : std::min(entry_us_, us);
  if (timed_ == kTimedCalls && entry_us_ < kWorthTiming && !must_lose()) restart(kNever);
}

bool Trial::interpreter_took(double us, int64_t hits) {
  const bool lost = entry_us_ > kClearly * us || must_lose();
  if (lost && ++lost_ == kLosses) return true;
  restart(lost ? kLater * hits : kNever);
  return false;
}

}  // namespace msjit
