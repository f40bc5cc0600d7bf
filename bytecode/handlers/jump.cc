// Branches on Python values: decided while capturing, under the guards that reading the value
// installed.
#include "bytecode/control.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/value_kind.h"

namespace msjit {

bool Executor::truth(const SymRef& value, bool* out) {
  if (!look_open(value)) return false;
  const auto test = kind_of(value).truth;
  return test ? test(*this, value, out)
              : fail(BreakReason::kCallUnknown, "bool() of " + describe(*value));
}

bool exec_ToBool(Executor& x, SymFrame& f, const Instr&) {
  if (!(*f.code)[f.pc + 1].is_exit()) return true;
  bool value = false;
  if (!x.truth(f.peek(1), &value)) return false;
  f.peek(1) = make_const(Ref::share(value ? Py_True : Py_False));
  return true;
}

bool exec_Jump(Executor&, SymFrame& f, const Instr& i) {
  f.next = i.target;
  return true;
}

namespace {

bool pop_jump(Executor& x, SymFrame& f, const Instr& i, bool when) {
  bool value = false;
  if (has_truth_of_tensor(*f.peek(1))) f.peek(1) = make_tensor(f.peek(1)->tensor);
  if (const SymRef tested = f.peek(1); x.look_open(tested) && tested->is_tensor()) {
    const BranchPath jump{i.target, true}, fall{f.next, true};
    return x.branch(f, tested, when ? jump : fall, when ? fall : jump);
  }
  if (!x.truth(f.peek(1), &value)) return false;
  f.pop();
  if (value == when) f.next = i.target;
  return true;
}

bool jump_or_pop(Executor& x, SymFrame& f, const Instr& i, bool when) {
  bool value = false;
  if (const SymRef tested = f.peek(1); x.look_open(tested) && tested->is_tensor()) {
    const BranchPath jump{i.target, false}, fall{f.next, true};
    return x.branch(f, tested, when ? jump : fall, when ? fall : jump);
  }
  if (!x.truth(f.peek(1), &value)) return false;
  if (value == when)
    f.next = i.target;
  else
    f.pop();
  return true;
}

bool jump_none(Executor& x, SymFrame& f, const Instr& i, bool when) {
  if (!x.look_open(f.peek(1))) return false;
  const bool none = f.pop()->is_const(Py_None);
  if (none == when) f.next = i.target;
  return true;
}

}  // namespace

bool exec_PopJumpIfFalse(Executor& x, SymFrame& f, const Instr& i) {
  return pop_jump(x, f, i, false);
}
bool exec_PopJumpIfTrue(Executor& x, SymFrame& f, const Instr& i) {
  return pop_jump(x, f, i, true);
}
bool exec_JumpIfFalseOrPop(Executor& x, SymFrame& f, const Instr& i) {
  return jump_or_pop(x, f, i, false);
}
bool exec_JumpIfTrueOrPop(Executor& x, SymFrame& f, const Instr& i) {
  return jump_or_pop(x, f, i, true);
}
bool exec_PopJumpIfNone(Executor& x, SymFrame& f, const Instr& i) {
  return jump_none(x, f, i, true);
}
bool exec_PopJumpIfNotNone(Executor& x, SymFrame& f, const Instr& i) {
  return jump_none(x, f, i, false);
}

bool exec_ReturnConst(Executor&, SymFrame& f, const Instr& i) {
  f.result = make_const(Ref::share(f.code->constant(i.arg)));
  return true;
}

bool exec_ReturnValue(Executor&, SymFrame& f, const Instr&) {
  f.result = f.pop();
  return true;
}

}  // namespace msjit
