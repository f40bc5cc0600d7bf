// Stepping: running one canonical instruction on a live frame through the C API, with exactly
// CPython's effects, order and error texts. The `step` column of isa.def names the function. It is
// beside the symbolic handler of the instruction and leaves the stack as the instruction does. If
// it returns hand_over() it has changed nothing.
#pragma once

#include "bytecode/frame_view.h"
#include "guards/py/compat_layout.h"
#include "kernels/core/inline_vec.h"

namespace msjit {

struct Step {
  enum Kind : uint8_t {
    kNext,      // go on at instruction `next`
    kReturn,    // the frame returns `value`
    kRaise,     // an exception is pending: end the frame with unwind(frame, code, index)
    kHandOver,  // nothing was done: CPython runs the frame from `next`
  };
  Kind kind;
  int next = -1;
  Ref value;
};

// The topmost items of a value stack as plain pointers, the lowest first, as CPython's functions
// take them. During a call, the callee may write to the place before the second one.
class Operands {
 public:
  Operands(FrameView& frame, int count) : items_(reinterpret_cast<PyObject**>(frame.top(count))) {
    if constexpr (compat::kSlotTags == 0) return;
    const Slot* slots = frame.top(count);
    copies_.resize(static_cast<uint32_t>(count));
    for (int i = 0; i < count; ++i) copies_[static_cast<uint32_t>(i)] = slots[i];
    items_ = copies_.data();
  }
  PyObject** data() const { return items_; }
  PyObject* operator[](int i) const { return items_[i]; }

 private:
  PyObject** items_;
  InlineVec<PyObject*, 8> copies_;
};

struct Stepping {
  FrameView& frame;
  const DecodedCode& code;
  const int index;
  const Instr& instr;

  Step next() const { return {Step::kNext, index + 1, {}}; }
  Step jump() const { return {Step::kNext, instr.target, {}}; }
  Step raised() const { return {Step::kRaise, index, {}}; }
  Step hand_over() const;
  Step push(Ref value) const {
    if (!value) return raised();
    frame.push(std::move(value));
    return next();
  }
  Step done(int status) const { return status < 0 ? raised() : next(); }
  PyObject* name() const { return code.name(instr.arg).get(); }
  // The container that ListAppend and similar instructions fill, once the operands are popped.
  PyObject* container() const { return frame.peek(instr.arg).get(); }
};

#define MSJIT_CANON(name, pops, pushes, on_jump, flags, operand, reach, step) \
  Step step(const Stepping& s);
#include "bytecode/isa.def"

// Handles pending signals and gives other threads a turn; false with an exception set.
bool let_others_run();

}  // namespace msjit
