// Poll: tells a long-running loop when to call g_loop_interrupted, about as often as CPython lets
// other threads run.
#pragma once

#include <chrono>

namespace msjit {

// Called now and then by a long-running loop; true: the loop gives up. Set by whoever embeds the
// core.
extern bool (*g_loop_interrupted)();

class Poll {
 public:
  bool interrupted() {
    if (!g_loop_interrupted || ++turns_ % kTurnsPerClock != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kPause) return false;
    const bool stop = g_loop_interrupted();
    last_ = std::chrono::steady_clock::now();
    return stop;
  }

 private:
  static constexpr unsigned kTurnsPerClock = 4;
  // Longer than the 5 ms after which a waiting thread asks for the interpreter's lock. A release
  // before that request makes the waiting thread start its wait again.
  static constexpr std::chrono::milliseconds kPause{8};
  unsigned turns_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace msjit
