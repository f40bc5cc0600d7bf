// Stack shuffling, constants and local variables.
#include <algorithm>

#include "bytecode/exec.h"
#include "bytecode/stepping.h"
#include "bytecode/versions/version.h"

namespace msjit {

bool exec_Nop(Executor&, SymFrame&, const Instr&) { return true; }
bool exec_Resume(Executor&, SymFrame&, const Instr&) { return true; }

// From 3.12 on a comprehension runs in the frame around it, where its closure variables get cells
// of their own.
static bool comprehension_cell(Executor& x) {
  return x.fail(BreakReason::kUnsupported, "a closure variable of a comprehension");
}

// All other cells exist already: an inlined frame gets them when it is built, the outermost one by
// its prologue.
bool exec_MakeCell(Executor& x, SymFrame&, const Instr&) { return comprehension_cell(x); }
bool exec_CopyFreeVars(Executor&, SymFrame&, const Instr&) { return true; }

bool exec_Pop(Executor&, SymFrame& f, const Instr&) {
  f.pop();
  return true;
}

bool exec_Copy(Executor&, SymFrame& f, const Instr& i) {
  f.push(f.peek(i.arg));
  return true;
}

bool exec_Swap(Executor&, SymFrame& f, const Instr& i) {
  std::swap(f.peek(1), f.peek(i.arg));
  return true;
}

bool exec_Rot(Executor&, SymFrame& f, const Instr& i) {
  std::rotate(f.stack.end() - i.arg, f.stack.end() - 1, f.stack.end());
  return true;
}

bool exec_PushNull(Executor&, SymFrame& f, const Instr&) {
  f.push(null_sym());
  return true;
}

bool exec_LoadConst(Executor&, SymFrame& f, const Instr& i) {
  f.push(make_const(Ref::share(f.code->constant(i.arg))));
  return true;
}

bool exec_LoadNone(Executor&, SymFrame& f, const Instr&) {
  f.push(make_const(Ref::none()));
  return true;
}

bool exec_LoadInt(Executor& x, SymFrame& f, const Instr& i) {
  Ref number = Ref::steal(PyLong_FromLong(i.arg));
  if (!number) {
    PyErr_Clear();
    return x.fail(BreakReason::kInternal, "no memory");
  }
  f.push(make_const(std::move(number)));
  return true;
}

bool exec_LoadFast(Executor& x, SymFrame& f, const Instr& i) {
  SymRef value = x.slot(f, i.arg);
  if (value->is_null())
    return x.fail(BreakReason::kUnboundName, utf8_text(f.code->slot_name(i.arg).get()));
  f.push(std::move(value));
  return true;
}

bool exec_LoadFastAndClear(Executor& x, SymFrame& f, const Instr& i) {
  if (f.code->slot_kind(i.arg) != SlotKind::kLocal) return comprehension_cell(x);
  f.push(x.slot(f, i.arg));
  f.slots[i.arg] = null_sym();
  return true;
}

bool exec_StoreFast(Executor& x, SymFrame& f, const Instr& i) {
  if (f.code->slot_kind(i.arg) != SlotKind::kLocal) return comprehension_cell(x);
  f.slots[i.arg] = f.pop();
  return true;
}

bool exec_DeleteFast(Executor& x, SymFrame& f, const Instr& i) {
  if (x.slot(f, i.arg)->is_null())
    return x.fail(BreakReason::kUnboundName, utf8_text(f.code->slot_name(i.arg).get()));
  f.slots[i.arg] = null_sym();
  return true;
}

bool exec_LoadCommonConstant(Executor& x, SymFrame& f, const Instr& i) {
  PyObject* constant = version::common_constant(i.arg);
  if (i.arg == kAssertionError)
    f.push(make_const(Ref::share(constant)));
  else
    f.push(x.heap().from_constant(Ref::share(constant), "a builtin"));
  return true;
}

Step step_push_null(const Stepping& s) {
  s.frame.push({});
  return s.next();
}

Step step_load_const(const Stepping& s) { return s.push(Ref::share(s.code.constant(s.instr.arg))); }
Step step_load_none(const Stepping& s) { return s.push(Ref::none()); }
Step step_load_int(const Stepping& s) { return s.push(Ref::steal(PyLong_FromLong(s.instr.arg))); }
Step step_load_common_constant(const Stepping& s) {
  return s.push(Ref::share(version::common_constant(s.instr.arg)));
}

// Pushes the content of a slot. For a closure variable that is a cell, or a value while a
// comprehension uses the slot. The second slot of a bytecode that loads two is not checked for
// NULL, as in CPython.
Step step_load_slot(const Stepping& s) {
  const Borrowed value = s.frame.local(s.instr.arg);
  if (value) return s.push(Ref::share(value));
  return s.instr.is_exit() ? s.hand_over() : step_push_null(s);
}

Step step_delete_fast(const Stepping& s) {
  if (!s.frame.local(s.instr.arg)) return s.hand_over();
  s.frame.set_local(s.instr.arg, {});
  return s.next();
}

Step step_swap(const Stepping& s) {
  Slot* slots = s.frame.top(s.instr.arg);
  std::swap(slots[0], slots[s.instr.arg - 1]);
  return s.next();
}

Step step_rotate(const Stepping& s) {
  Slot* slots = s.frame.top(s.instr.arg);
  const Slot top = slots[s.instr.arg - 1];
  for (int i = s.instr.arg - 1; i > 0; i--) slots[i] = slots[i - 1];
  slots[0] = top;
  return s.next();
}

Step step_copy(const Stepping& s) {
  s.frame.push(Ref::share(s.frame.peek(s.instr.arg)));
  return s.next();
}

Step step_pop(const Stepping& s) {
  s.frame.drop(1);
  return s.next();
}

Step step_load_fast_and_clear(const Stepping& s) {
  s.frame.push(s.frame.take_local(s.instr.arg));
  return s.next();
}

// After the prologue only comprehensions make cells.
Step step_make_cell(const Stepping& s) {
  Ref cell = Ref::steal(PyCell_New(s.frame.local(s.instr.arg).get()));
  if (!cell) return s.raised();
  s.frame.set_local(s.instr.arg, std::move(cell));
  return s.next();
}

Step step_store_fast(const Stepping& s) {
  s.frame.set_local(s.instr.arg, s.frame.pop());
  return s.next();
}

}  // namespace msjit
