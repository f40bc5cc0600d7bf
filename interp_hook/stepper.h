// Executes one canonical instruction on a live frame through the C API, with exactly CPython's
// effects, order and error texts. The frame must be past its prologue and entered, its blocks need
// not be set. Whatever the stepper does not do (handler bodies, raise, class patterns, import *),
// and whatever would fail for a reason it can see beforehand (an unbound name), it leaves to
// CPython untouched.
#pragma once

#include "bytecode/stepping.h"

namespace msjit {

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
