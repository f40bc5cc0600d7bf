// Stack shuffling, constants and variables.
#include <algorithm>

#include "bytecode/exec.h"
#include "bytecode/versions/version.h"

namespace msjit {

bool exec_Nop(Executor&, SymFrame&, const Instr&) { return true; }
bool exec_Resume(Executor&, SymFrame&, const Instr&) { return true; }

// From 3.12 on a comprehension runs in the frame around it and gives its closure variables cells of
// their own.
static bool comprehension_cell(Executor& x) {
  return x.fail(BreakReason::kUnsupported, "a closure variable of a comprehension");
}

// An inlined frame makes its other cells when it is built, the outermost frame's prologue has run.
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

bool exec_LoadGlobal(Executor& x, SymFrame& f, const Instr& i) {
  PyObject* name = f.code->name(i.arg).get();
  x.heap().error.clear();
  SymRef value = x.heap().global(f.globals.get(), f.globals_source, f.builtins.get(), name);
  if (!value && !x.heap().error.empty()) return x.fail(BreakReason::kObjectType, x.heap().error);
  if (!value) return x.fail(BreakReason::kUnboundName, utf8_text(name));
  f.push(std::move(value));
  return true;
}

bool exec_StoreGlobal(Executor& x, SymFrame& f, const Instr& i) {
  PyObject* name = f.code->name(i.arg).get();
  if (!x.heap().set_global(f.globals.get(), f.globals_source, name, f.pop()))
    return x.fail(BreakReason::kStoreGlobal, utf8_text(name));
  return true;
}

bool exec_LoadClosure(Executor& x, SymFrame& f, const Instr& i) {
  SymRef cell = x.slot(f, i.arg);
  if (cell->is_null()) return x.fail(BreakReason::kInternal, "a missing cell");
  f.push(std::move(cell));
  return true;
}

bool exec_LoadDeref(Executor& x, SymFrame& f, const Instr& i) {
  SymRef cell = x.slot(f, i.arg);
  if (!x.look(cell)) return false;
  SymRef value = cell->kind == SymKind::kCell ? x.heap().cell_contents(cell) : nullptr;
  if (!value || value->is_null())
    return x.fail(BreakReason::kUnboundName, utf8_text(f.code->slot_name(i.arg).get()));
  f.push(std::move(value));
  return true;
}

bool exec_StoreDeref(Executor& x, SymFrame& f, const Instr& i) {
  SymRef cell = x.slot(f, i.arg);
  if (!x.look(cell)) return false;
  if (cell->kind != SymKind::kCell)
    return x.fail(BreakReason::kInternal, "store to a missing cell");
  cell->items = {f.pop()};
  cell->changed = cell->source != kNoSource;
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

}  // namespace msjit
