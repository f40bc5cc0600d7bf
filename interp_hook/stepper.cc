#include "interp_hook/stepper.h"

namespace msjit {
namespace {

constexpr Step (*kSteppers[])(const Stepping&) = {
#define MSJIT_CANON(name, pops, pushes, on_jump, flags, operand, reach, step) step,
#include "bytecode/isa.def"
};

// NULL lies on the stack for calls, and while a comprehension's variable is put aside. Only
// hand-made bytecode gives it to other instructions.
bool holds_null(const FrameView& frame, int items) {
  for (int i = 1; i <= items; ++i)
    if (!frame.peek(i)) return true;
  return false;
}

}  // namespace

bool can_step(const Instr& instr) {
  return !(instr.flags & Instr::kInHandler) &&
         kSteppers[static_cast<int>(instr.op)] != step_in_cpython;
}

Step step(FrameView& frame, const DecodedCode& code, int index) {
  const Instr& instr = code[index];
  const Stepping stepping{frame, code, index, instr};
  // A debugger that started inside this call must see the lines that follow.
  if (instr.is_exit() && frame.is_traced()) return stepping.hand_over();
  if (instr.is_exit() && !(op_flags(instr.op) & kOpNulls) && holds_null(frame, pops(instr)))
    return stepping.hand_over();
  frame.set_current(instr.op_offset);
  return kSteppers[static_cast<int>(instr.op)](stepping);
}

PyObject* hand_over(FrameView& frame, const DecodedCode& code, int index) {
  frame.set_blocks(code.blocks(index));
  frame.set_pc(code[index].offset);
  return frame.resume();
}

PyObject* unwind(FrameView& frame, const DecodedCode& code, int index) {
  frame.set_blocks(code.blocks(index));
  frame.set_current(code[index].op_offset);
  return frame.resume_raising();
}

}  // namespace msjit
