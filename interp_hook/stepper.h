// Executes one canonical instruction on a live frame through the C API, with exactly CPython's
// effects, order and error texts. The frame must be past its prologue and entered, its blocks need
// not be set. Whatever the stepper does not do (handler bodies, raise, class patterns, import *),
// and whatever would fail for a reason it can see beforehand (an unbound name), it leaves to
// CPython untouched.
#pragma once

#include "bytecode/decode.h"
#include "interp_hook/frame_view.h"

namespace msjit {

struct Step {
  enum Kind : uint8_t {
    kNext,      // go on at instruction `next`
    kReturn,    // the frame returns `value`
    kRaise,     // an exception is pending: end the frame with unwind(frame, code, index)
    kHandOver,  // nothing was done: CPython has to run from `next`
  };
  Kind kind;
  int next = -1;
  Ref value;
};

// Handles pending signals and gives other threads a turn; false with an exception set.
bool let_others_run();

// False when `step` always hands the instruction over.
bool can_step(const Instr& instr);

// Runs instruction `index`. After kNext the frame can be resumed only if code[next].is_exit(): step
// on until it is (the other instructions of the same bytecode, and the jump behind a ToBool).
Step step(FrameView& frame, const DecodedCode& code, int index);

// Ends the frame: CPython runs the rest from `index`, which must be an exit.
PyObject* hand_over(FrameView& frame, const DecodedCode& code, int index);
// Ends the frame: CPython handles the pending exception as raised by instruction `index`.
PyObject* unwind(FrameView& frame, const DecodedCode& code, int index);

}  // namespace msjit
