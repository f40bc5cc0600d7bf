// Trial: the rule of last resort. A captured call that takes a while is timed now and then, and one
// call beside it is left to the interpreter. What loses to that twice is not used any more.
// Invariant: which of the two serves a call never changes what the call does.
#pragma once

#include <chrono>
#include <cstdint>

namespace msjit {

class Trial {
 public:
  // `first`: how often an entry has been found when it is first tried; its kernels are compiled by
  // then.
  explicit Trial(int64_t first = 64);

  enum class Turn : uint8_t { kNone, kTimed, kInterpreter };

  // What the call is to be, of an entry that has been found `hits` times.
  Turn turn(int64_t hits) const {
    if (hits < next_) [[likely]]
      return Turn::kNone;
    return timed_ < kTimedCalls ? Turn::kTimed : Turn::kInterpreter;
  }
  void entry_took(double us);
  // Of the same call op by op. True: the entry has lost for good.
  bool interpreter_took(double us, int64_t hits);
  double entry_us() const { return entry_us_; }

  static double now_us() {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(since).count();
  }

 private:
  static constexpr int kTimedCalls = 4;
  static constexpr int64_t kNever = INT64_MAX;
  void restart(int64_t next);

  int64_t next_;
  int timed_ = 0;
  int lost_ = 0;
  double entry_us_ = 0;  // the least of those timed
};

}  // namespace msjit
