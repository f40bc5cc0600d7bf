// Executes one canonical instruction on a live frame through the C API, with exactly CPython's effects,
// order and error texts. The frame must be entered and past its prologue. What the stepper does not do
// (handler bodies, generators, class-body names, matching) it leaves untouched for CPython.
#pragma once

#include "bytecode/decode.h"
#include "interp_hook/frame_view.h"

namespace msjit {

struct Step {
  enum Kind : uint8_t {
    kNext,      // go on at instruction `next`
    kReturn,    // the frame returns `value`
    kRaise,     // an exception is pending: end the frame with resume_raising()
    kHandOver,  // nothing was done: CPython has to run from here
  };
  Kind kind;
  int next = -1;
  Ref value;
};

// Whether `step` would execute the instruction rather than hand it over.
bool can_step(const Instr& instr);

// Runs instruction `index`. After kNext the frame can be resumed only if code[next].is_exit(): step on
// until it is (at most three instructions of one bytecode).
Step step(FrameView& frame, const DecodedCode& code, int index);

// Lets CPython run the rest of the frame from `index`, which must be an exit.
PyObject* hand_over(FrameView& frame, const DecodedCode& code, int index);

}  // namespace msjit
