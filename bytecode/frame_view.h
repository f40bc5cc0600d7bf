// FrameView: a live CPython frame that is not running yet, as native code sees it: slots, operand
// stack, blocks and instruction pointer. It is the only way to touch a frame; frames/py3XX.cc
// implement it per version.
// Life of a view: the hook makes it. The driver reads slots, and may run `prologue`, `enter` and
// steps. Then exactly one of resume / resume_raising / finish ends the view and returns the hook's
// result. The value stack is written through the view alone; the frame sees the changes when the
// view ends.
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
  Borrowed function() const;  // null up to 3.10, where frames do not have it
  Borrowed globals() const;
  Borrowed builtins() const;
  Borrowed names() const;  // f_locals of class and module bodies; null in functions
  // Cell of the i-th free variable, valid before and after the prologue.
  Borrowed closure_cell(int i) const;

  // localsplus, as a raw view for guards and sources. NULL = unbound.
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

  // The offset where CPython continues when resumed; 0 in a fresh frame.
  int pc() const;
  void set_pc(int offset);
  // Makes the instruction at `op_offset` the current one, for line numbers and raising.
  void set_current(int op_offset);
  // The static block stack of the instruction to resume at; does nothing from 3.11 on.
  void set_blocks(std::span<const Block> blocks);

  // Does what the code's MAKE_CELL / COPY_FREE_VARS prologue does (nothing up to 3.10) and moves
  // the pc behind it. False with an exception set when out of memory. A second call does nothing.
  bool prologue();

  // Makes this the thread's current frame, which anything that may run Python code needs. False
  // with RecursionError set: the hook must then return nullptr at once. A second call does nothing.
  bool enter();
  // Whether a tracer or profiler watches this thread.
  bool is_traced() const;
  // Whether anything besides the interpreter holds the frame object.
  bool is_kept() const;

  // These end the view. They return what the hook must return.
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
