// Branches on Python values are decided while capturing, under the guards installed by reading the
// value.
#include "bytecode/control.h"
#include "bytecode/stepping.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/computed_graph.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/host_call.h"

namespace msjit {

namespace {

// Whether a value knows its truth without being looked at.
bool knows_truth(const SymRef& value) {
  const ValueKind& unread = kind_of(value);
  return unread.asked_unread && unread.truth;
}

}  // namespace

bool Executor::truth(const SymRef& value, bool* out) {
  if (!knows_truth(value) && !look_open(value)) return false;
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

// The tensor whose truth decides the jump; null: a known value decides it.
bool deciding_tensor(Executor& x, const SymRef& tested, SymRef* out) {
  SymRef value;
  if (!number_of_turn(x, tested, &value)) return false;
  if (has_truth_of_tensor(*value)) return *out = make_tensor(value->tensor), true;
  if (!test_of_computed(x, value, out)) return false;
  if (knows_truth(value)) return true;
  if (*out || !x.look_open(value)) return *out != nullptr;
  if (value->is_tensor()) *out = value;
  return true;
}

bool pop_jump(Executor& x, SymFrame& f, const Instr& i, bool when) {
  bool value = false;
  SymRef tested;
  if (!deciding_tensor(x, f.peek(1), &tested)) return false;
  if (tested) {
    f.peek(1) = tested;
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
  SymRef tested;
  if (!deciding_tensor(x, f.peek(1), &tested)) return false;
  if (tested) {
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

namespace {

constexpr int kJumpsPerCheck = 256;

// The interpreter handles signals and lets other threads run at backward jumps; so does a stepped
// loop.
Step backward_jump(const Stepping& s) {
  static thread_local int jumps = 0;
  if (++jumps % kJumpsPerCheck == 0 && !let_others_run()) return s.raised();
  return s.jump();
}

Step take_jump(const Stepping& s) {
  return s.instr.target <= s.index ? backward_jump(s) : s.jump();
}

Step branch(const Stepping& s, bool jump_when, bool keep) {
  PyObject* value = s.frame.peek(1).get();
  const int truth = value == Py_True    ? 1
                    : value == Py_False ? 0
                                        : host::call(host::program, PyObject_IsTrue, value);
  const bool jumps = truth >= 0 && bool(truth) == jump_when;
  if (!(keep && jumps) && truth >= 0) s.frame.drop(1);
  if (truth < 0) return s.raised();
  return jumps ? take_jump(s) : s.next();
}

Step branch_none(const Stepping& s, bool jump_when) {
  const Ref value = s.frame.pop();
  return value.is(Py_None) == jump_when ? take_jump(s) : s.next();
}

}  // namespace

Step step_to_bool(const Stepping& s) {
  const Ref value = s.frame.pop();
  const int truth = host::call(host::program, PyObject_IsTrue, value.get());
  return truth < 0 ? s.raised() : s.push(Ref::share(truth ? Py_True : Py_False));
}

Step step_jump(const Stepping& s) { return take_jump(s); }
Step step_jump_if_false(const Stepping& s) { return branch(s, false, false); }
Step step_jump_if_true(const Stepping& s) { return branch(s, true, false); }
Step step_jump_if_false_or_pop(const Stepping& s) { return branch(s, false, true); }
Step step_jump_if_true_or_pop(const Stepping& s) { return branch(s, true, true); }
Step step_jump_if_none(const Stepping& s) { return branch_none(s, true); }
Step step_jump_if_not_none(const Stepping& s) { return branch_none(s, false); }

Step step_return_const(const Stepping& s) {
  return {Step::kReturn, s.index, Ref::share(s.code.constant(s.instr.arg))};
}
Step step_return_value(const Stepping& s) { return {Step::kReturn, s.index, s.frame.pop()}; }

}  // namespace msjit
