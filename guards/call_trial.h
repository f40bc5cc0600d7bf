// CallTrial: whether the calls of a function that is run in pieces - regions, and instructions
// between them - are worth it. A few calls in a row are timed, every second one of them left to the
// interpreter; what loses twice is left to it for long.
// Invariant: which of the two serves a call never changes what the call does.
#pragma once

#include <array>
#include <cstdint>

namespace msjit {

class CallTrial {
 public:
  CallTrial();

  enum class Turn : uint8_t { kNone, kPieces, kInterpreter };

  // What the next call is to be.
  Turn turn() {
    if (++calls_ < next_) [[likely]]
      return Turn::kNone;
    return (calls_ - next_) % 2 ? Turn::kInterpreter : Turn::kPieces;
  }
  // A call of this kind took so long. True: the function is to be left to the interpreter.
  bool took(Turn turn, double us);
  // The call was one region from beginning to end: it does not count.
  void was_whole() { --calls_; }
  // What is compiled is not there yet. False: it has been waited for long enough.
  bool put_off();
  int64_t calls() const { return calls_; }
  double pieces_us() const { return median_[0]; }
  double interpreter_us() const { return median_[1]; }

 private:
  static constexpr int kTimed = 9;
  static constexpr int kLosses = 2;
  static constexpr int64_t kFirst = 128;

  int64_t calls_ = 0, next_;
  int losses_ = 0, waits_ = 0;
  std::array<int, 2> count_{};
  std::array<std::array<float, kTimed>, 2> us_{};
  std::array<double, 2> median_{};
};

}  // namespace msjit
