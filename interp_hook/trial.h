// Trial: finds out whether compiled code is slower than the interpreter. A few captured calls are
// timed, and the call after them is left to the interpreter. An entry that loses twice is no longer
// used. Short calls are not compared.
// Invariant: which of the two serves a call never changes what the call does.
#pragma once

#include <chrono>
#include <cstdint>

namespace msjit {

class Trial {
 public:
  // `first`: the number of hits after which the first trial begins; the kernels are compiled by
  // then.
  explicit Trial(int64_t first = 64);

  enum class Turn : uint8_t { kNone, kTimed, kInterpreter };

  // How to run this call of an entry that has been found `hits` times.
  Turn turn(int64_t hits) const {
    if (hits < next_) [[likely]]
      return Turn::kNone;
    return timed_ < kTimedCalls ? Turn::kTimed : Turn::kInterpreter;
  }
  void entry_took(double us);
  // The time of a similar call in the interpreter. True: the entry has lost for good.
  bool interpreter_took(double us, int64_t hits);
  // Whether the entry stays in use for good: it has not lost, or is too short to be compared.
  bool is_over() const { return next_ == kNever; }
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
  double entry_us_ = 0;  // the shortest of the timed calls
};

}  // namespace msjit
