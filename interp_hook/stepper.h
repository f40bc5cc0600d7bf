// Executes one canonical instruction on a live frame through the C API, with exactly CPython's
// effects, order and error texts. The frame must be past its prologue and entered; its blocks need
// not be set. Some instructions are handed to CPython before anything is done: those that the
// stepper does not know (handler bodies, raise, class patterns, import *), and those that would
// visibly fail (an unbound name).
#pragma once

#include "bytecode/stepping.h"

namespace msjit {

// False when `step` always hands the instruction over.
bool can_step(const Instr& instr);

// Runs instruction `index`. After kNext CPython can resume the frame only if code[next].is_exit().
// Otherwise step on until it is: over the other canonical instructions of the same bytecode
// instruction, and over the jump behind a ToBool.
Step step(FrameView& frame, const DecodedCode& code, int index);

// Ends the frame: CPython runs the rest from `index`, which must be an exit.
PyObject* hand_over(FrameView& frame, const DecodedCode& code, int index);
// Ends the frame: CPython handles the pending exception as raised by instruction `index`.
PyObject* unwind(FrameView& frame, const DecodedCode& code, int index);

}  // namespace msjit
