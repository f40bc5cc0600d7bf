#include "guards/call_trial.h"

#include <algorithm>

#include "kernels/core/log.h"

namespace msjit {
namespace {

// MSJIT_TRIAL=pieces, for tests: every function that runs in pieces is tried soon, and its pieces
// lose.
bool must_lose() {
  static const bool lose = env_text("MSJIT_TRIAL") == "pieces";
  return lose;
}

}  // namespace

CallTrial::CallTrial() : next_(must_lose() ? 4 : kFirst) {}

bool CallTrial::put_off() {
  constexpr int kLongest = 3;
  if (waits_ == kLongest || must_lose()) return false;
  next_ = calls_ + (kFirst << waits_++);
  return true;
}

bool CallTrial::took(Turn turn, double us) {
  const int side = turn == Turn::kInterpreter;
  if (count_[side] < kTimed) us_[side][count_[side]++] = static_cast<float>(us);
  if (count_[0] < kTimed || count_[1] < kTimed) return false;
  for (int i = 0; i < 2; ++i) {
    std::nth_element(us_[i].begin(), us_[i].begin() + kTimed / 2, us_[i].end());
    median_[i] = us_[i][kTimed / 2];
  }
  count_ = {};
  const bool lost = median_[0] > median_[1] || must_lose();
  losses_ = lost ? losses_ + 1 : 0;
  constexpr int64_t kLater = 8;  // after a win, waits for this many times as many calls
  next_ = calls_ + (must_lose() ? 1 : lost ? kFirst : kLater * calls_);
  if (losses_ < kLosses) return false;
  losses_ = kLosses - 1;  // in a later trial one more loss is enough
  return true;
}

}  // namespace msjit
