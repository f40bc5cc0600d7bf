// CallTrial: whether a function that runs in pieces is faster than the interpreter. "In pieces"
// means several compiled regions, with interpreted instructions between them. A few calls in a row
// are timed, and every second one of them is left to the interpreter. A function whose pieces lose
// twice is left to the interpreter for long.
// Invariant: who serves a call never changes what the call does.
#pragma once

#include <array>
#include <cstdint>

namespace msjit {

class CallTrial {
 public:
  CallTrial();

  enum class Turn : uint8_t { kNone, kPieces, kInterpreter };

  // How the next call runs: kNone: as usual, untimed; else timed, in pieces or by the interpreter.
  Turn turn() {
    if (++calls_ < next_) [[likely]]
      return Turn::kNone;
    return (calls_ - next_) % 2 ? Turn::kInterpreter : Turn::kPieces;
  }
  // A timed call of this kind took `us` microseconds. True: the function is to be left to the
  // interpreter.
  bool took(Turn turn, double us);
  // The call was one region from beginning to end: it does not count.
  void was_whole() { --calls_; }
  // Kernels are still being compiled, so a trial would be unfair. False: there has been waiting
  // enough.
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
