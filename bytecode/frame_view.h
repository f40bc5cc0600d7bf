// A live, not yet running CPython frame seen by native code: its slots, operand stack, blocks and
// instruction pointer. The only way to touch a frame; frames/py3XX.cc implement it per version.
// Life of a view: the hook makes it; the driver reads slots, may run `prologue`, `enter` and step;
// then exactly one of resume / resume_raising / finish ends it and gives what the hook returns. The
// value stack is written through the view alone: the frame sees it again when the view ends.
#pragma once

#include <span>

#include "bytecode/decode.h"
#include "guards/py/ref.h"
#include "guards/py/slot.h"

namespace msjit {

class FrameView {
 public:
  FrameView(PyThreadState* thread, void* frame);  // the evaluator's frame argument
  ~FrameView();                                   // a view that was never ended is emptied
  FrameView(const FrameView&) = delete;
  FrameView& operator=(const FrameView&) = delete;

  PyCodeObject* code() const { return code_; }
  Borrowed function() const;  // null up to 3.10, where frames do not know it
  Borrowed globals() const;
  Borrowed builtins() const;
  Borrowed names() const;  // f_locals of class and module bodies; null in functions
  // Cell of the i-th free variable, valid before and after the prologue.
  Borrowed closure_cell(int i) const;

  // localsplus; a raw view for guards and sources. NULL = unbound.
  const Slot* slots() const { return slots_; }
  Borrowed local(int slot) const { return Borrowed(slots_[slot].get()); }
  void set_local(int slot, Ref value);
  Ref take_local(int slot);

  // Operand stack, 0 = bottom; NULL is a legal item. `peek(1)` is the top.
  int stack_depth() const { return depth_; }
  const Slot* stack() const { return stack_; }
  Borrowed stack(int i) const { return Borrowed(stack_[i].get()); }
  Borrowed peek(int from_top) const { return Borrowed(stack_[depth_ - from_top].get()); }
  Slot* top(int items) { return stack_ + depth_ - items; }  // lowest of the topmost `items`
  void push(Ref value) { stack_[depth_++].put(std::move(value)); }
  Ref pop() { return stack_[--depth_].take(); }
  void drop(int items);  // from the top, in CPython's order
  // Replaces the whole stack; the items are moved from.
  void set_stack(std::span<Ref> items);

  // Offset CPython continues at when resumed; 0 in a fresh frame.
  int pc() const;
  void set_pc(int offset);
  // Shows the instruction at `op_offset` as the one being executed (line numbers, raising).
  void set_current(int op_offset);
  // The static block stack of the instruction to resume at; does nothing from 3.11 on.
  void set_blocks(std::span<const Block> blocks);

  // Does what the code's MAKE_CELL / COPY_FREE_VARS prologue does (nothing up to 3.10) and moves
  // the pc behind it. False with an exception set when out of memory. A second call does nothing.
  bool prologue();

  // Makes this the thread's current frame, as needed by anything that may run Python code. False
  // with RecursionError set: then return nullptr from the hook at once. A second call does nothing.
  bool enter();
  // A tracer or profiler watches this thread.
  bool is_traced() const;
  // Somebody besides the interpreter holds the frame object.
  bool is_kept() const;

  // Ends of a view. They return what the hook has to return.
  PyObject* resume();            // CPython runs the rest from pc
  PyObject* resume_raising();    // the pending exception is raised at the current instruction
  PyObject* finish(Ref result);  // returns `result` without running the interpreter

 private:
  void leave();
  PyObject* run(int throwing);

  PyThreadState* thread_;
  void* frame_;
  PyCodeObject* code_;
  Slot* slots_;
  Slot* stack_;
  int depth_;
  bool entered_ = false;
  bool prologue_done_ = false;
  bool ended_ = false;
};

}  // namespace msjit
