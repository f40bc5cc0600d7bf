#include "interp_hook/stepper.h"

#include "bytecode/numbers.h"
#include "bytecode/versions/version.h"
#include "interp_hook/frames/internals.h"
#include "interp_hook/stepper_ops.h"

// Exported by all versions, declared by some.
extern "C" int _PyObject_GetMethod(PyObject* object, PyObject* name, PyObject** method);

namespace msjit {

// A second half of a bytecode (LoadGlobal after its PushNull) goes back to where CPython can
// resume.
Step Stepping::hand_over() const {
  int at = index;
  while (!code[at].is_exit() && at > 0 && code[at - 1].op == Op::kPushNull) {
    frame.drop(1);
    at--;
  }
  return {Step::kHandOver, at, {}};
}

bool let_others_run() {
  if (PyErr_CheckSignals() < 0) return false;
  PyThreadState* thread = PyEval_SaveThread();
  PyEval_RestoreThread(thread);
  return true;
}

namespace {

constexpr int kJumpsPerCheck = 256;

// The interpreter looks at signals and lets other threads run at backward jumps; so does a stepped
// loop.
Step backward_jump(const Stepping& s) {
  static thread_local int jumps = 0;
  if (++jumps % kJumpsPerCheck == 0 && !let_others_run()) return s.raised();
  return s.jump();
}

// So it does after calls: a signal sent by the callee is raised here, not in whatever runs next.
Step after_call(const Stepping& s, const Step& did) {
  return did.kind == Step::kNext && PyErr_CheckSignals() < 0 ? s.raised() : did;
}

Step take_jump(const Stepping& s) {
  return s.instr.target <= s.index ? backward_jump(s) : s.jump();
}

Step push_null(const Stepping& s) {
  s.frame.push({});
  return s.next();
}

// What a slot holds, which for a variable of a closure is a cell, or a value while a comprehension
// has the slot. The second variable of a bytecode for two is not checked by CPython either.
Step load_slot(const Stepping& s) {
  const Borrowed value = s.frame.local(s.instr.arg);
  if (value) return s.push(Ref::share(value));
  return s.instr.is_exit() ? s.hand_over() : push_null(s);
}

Step delete_fast(const Stepping& s) {
  if (!s.frame.local(s.instr.arg)) return s.hand_over();
  s.frame.set_local(s.instr.arg, {});
  return s.next();
}

Step load_attr(const Stepping& s) {
  const Ref owner = s.frame.pop();
  return s.push(Ref::steal(PyObject_GetAttr(owner.get(), s.name())));
}

Step store_attr(const Stepping& s) {
  const Ref owner = s.frame.pop();
  const Ref value = s.frame.pop();
  return s.done(PyObject_SetAttr(owner.get(), s.name(), value.get()));
}

Step delete_attr(const Stepping& s) {
  const Ref owner = s.frame.pop();
  return s.done(PyObject_SetAttr(owner.get(), s.name(), nullptr));
}

Step load_method(const Stepping& s) {
  Ref owner = s.frame.pop();
  PyObject* found = nullptr;
  const bool unbound = _PyObject_GetMethod(owner.get(), s.name(), &found) != 0;
  Ref attribute = Ref::steal(found);
  if (!attribute) return s.raised();
  if (s.instr.form == CallForm::kNullBelow && !unbound) s.frame.push({});
  s.frame.push(std::move(attribute));
  if (unbound)
    s.frame.push(std::move(owner));
  else if (s.instr.form == CallForm::kNullAbove)
    s.frame.push({});
  return s.next();
}

Step subscr(const Stepping& s) {
  const Ref key = s.frame.pop();
  const Ref container = s.frame.pop();
  return s.push(Ref::steal(PyObject_GetItem(container.get(), key.get())));
}

Step store_subscr(const Stepping& s) {
  const Ref key = s.frame.pop();
  const Ref container = s.frame.pop();
  const Ref value = s.frame.pop();
  return s.done(PyObject_SetItem(container.get(), key.get(), value.get()));
}

Step delete_subscr(const Stepping& s) {
  const Ref key = s.frame.pop();
  const Ref container = s.frame.pop();
  return s.done(PyObject_DelItem(container.get(), key.get()));
}

PyObject* inplace_power(PyObject* a, PyObject* b) { return PyNumber_InPlacePower(a, b, Py_None); }

using BinaryFunction = PyObject* (*)(PyObject*, PyObject*);
constexpr BinaryFunction kInplace[kBinaryOpCount] = {PyNumber_InPlaceAdd,
                                                     PyNumber_InPlaceAnd,
                                                     PyNumber_InPlaceFloorDivide,
                                                     PyNumber_InPlaceLshift,
                                                     PyNumber_InPlaceMatrixMultiply,
                                                     PyNumber_InPlaceMultiply,
                                                     PyNumber_InPlaceRemainder,
                                                     PyNumber_InPlaceOr,
                                                     inplace_power,
                                                     PyNumber_InPlaceRshift,
                                                     PyNumber_InPlaceSubtract,
                                                     PyNumber_InPlaceTrueDivide,
                                                     PyNumber_InPlaceXor};

PyObject* inplace_binary(BinaryOp op, PyObject* a, PyObject* b) {
  return kInplace[static_cast<int>(op)](a, b);
}

template <PyObject* (*Function)(BinaryOp, PyObject*, PyObject*)>
Step binary(const Stepping& s) {
  const Ref right = s.frame.pop();
  const Ref left = s.frame.pop();
  return s.push(Ref::steal(Function(s.instr.binary(), left.get(), right.get())));
}

Step unary(const Stepping& s) {
  const Ref value = s.frame.pop();
  switch (s.instr.unary()) {
    case UnaryOp::kPositive: return s.push(Ref::steal(PyNumber_Positive(value.get())));
    case UnaryOp::kNegative: return s.push(Ref::steal(PyNumber_Negative(value.get())));
    case UnaryOp::kInvert: return s.push(Ref::steal(PyNumber_Invert(value.get())));
    case UnaryOp::kNot: break;
  }
  const int truth = PyObject_IsTrue(value.get());
  return truth < 0 ? s.raised() : s.push(Ref::share(truth ? Py_False : Py_True));
}

Step to_bool(const Stepping& s) {
  const Ref value = s.frame.pop();
  const int truth = PyObject_IsTrue(value.get());
  return truth < 0 ? s.raised() : s.push(Ref::share(truth ? Py_True : Py_False));
}

Step compare(const Stepping& s) {
  const Ref right = s.frame.pop();
  const Ref left = s.frame.pop();
  return s.push(Ref::steal(PyObject_RichCompare(left.get(), right.get(), s.instr.arg)));
}

Step is_op(const Stepping& s) {
  const Ref right = s.frame.pop();
  const Ref left = s.frame.pop();
  return s.push(Ref::share((left == right) != bool(s.instr.arg) ? Py_True : Py_False));
}

Step contains_op(const Stepping& s) {
  const Ref container = s.frame.pop();
  const Ref item = s.frame.pop();
  const int found = PySequence_Contains(container.get(), item.get());
  if (found < 0) return s.raised();
  return s.push(Ref::share(bool(found) != bool(s.instr.arg) ? Py_True : Py_False));
}

Step branch(const Stepping& s, bool jump_when, bool keep) {
  PyObject* value = s.frame.peek(1).get();
  const int truth = value == Py_True ? 1 : value == Py_False ? 0 : PyObject_IsTrue(value);
  const bool jumps = truth >= 0 && bool(truth) == jump_when;
  if (!(keep && jumps) && truth >= 0) s.frame.drop(1);
  if (truth < 0) return s.raised();
  return jumps ? take_jump(s) : s.next();
}

Step branch_none(const Stepping& s, bool jump_when) {
  const Ref value = s.frame.pop();
  return value.is(Py_None) == jump_when ? take_jump(s) : s.next();
}

Step get_iter(const Stepping& s) {
  const Ref iterable = s.frame.pop();
  return s.push(Ref::steal(PyObject_GetIter(iterable.get())));
}

Step for_iter(const Stepping& s) {
  PyObject* iterator = s.frame.peek(1).get();
  if (!Py_TYPE(iterator)->tp_iternext) return s.hand_over();  // no compiler's code
  Ref item = Ref::steal(Py_TYPE(iterator)->tp_iternext(iterator));
  if (item) return s.push(std::move(item));
  if (PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_StopIteration)) return s.raised();
    PyErr_Clear();
  }
  s.frame.drop(1);
  return s.jump();
}

Step swap(const Stepping& s) {
  Slot* slots = s.frame.top(s.instr.arg);
  std::swap(slots[0], slots[s.instr.arg - 1]);
  return s.next();
}

Step rotate(const Stepping& s) {
  Slot* slots = s.frame.top(s.instr.arg);
  const Slot top = slots[s.instr.arg - 1];
  for (int i = s.instr.arg - 1; i > 0; i--) slots[i] = slots[i - 1];
  slots[0] = top;
  return s.next();
}

Step copy(const Stepping& s) {
  s.frame.push(Ref::share(s.frame.peek(s.instr.arg)));
  return s.next();
}

Step pop_top(const Stepping& s) {
  s.frame.drop(1);
  return s.next();
}

Step load_fast_and_clear(const Stepping& s) {
  s.frame.push(s.frame.take_local(s.instr.arg));
  return s.next();
}

// Behind the prologue only comprehensions make cells.
Step make_cell(const Stepping& s) {
  Ref cell = Ref::steal(PyCell_New(s.frame.local(s.instr.arg).get()));
  if (!cell) return s.raised();
  s.frame.set_local(s.instr.arg, std::move(cell));
  return s.next();
}

Step store_fast(const Stepping& s) {
  s.frame.set_local(s.instr.arg, s.frame.pop());
  return s.next();
}

Step list_to_tuple(const Stepping& s) {
  const Ref list = s.frame.pop();
  return s.push(Ref::steal(PyList_AsTuple(list.get())));
}

// Operations of class bodies, modules, imports, `with` and `match`; one without a line is
// CPython's.
Step dispatch_rare(const Stepping& s) {
  switch (s.instr.op) {
    case Op::kLoadName:
    case Op::kStoreName:
    case Op::kDeleteName:
    case Op::kLoadClassDeref: return step_name(s);
    case Op::kSetupAnnotations: return step_setup_annotations(s);
    case Op::kPrintExpr: return step_print_expr(s);
    case Op::kMatchSequence:
    case Op::kMatchMapping:
    case Op::kGetLen: return step_match_type(s);
    case Op::kMatchKeys: return step_match_keys(s);
    case Op::kCopyDictWithoutKeys: return step_copy_dict_without_keys(s);
    case Op::kLoadBuildClass: return step_load_build_class(s);
    case Op::kImportName: return step_import_name(s);
    case Op::kImportFrom: return step_import_from(s);
    case Op::kBeforeWith: return step_before_with(s);
    case Op::kLoadSpecial: return step_load_special(s);
    default: return s.hand_over();
  }
}

// Locals, cells and globals; anything else is rare.
Step dispatch_variable(const Stepping& s) {
  switch (s.instr.op) {
    case Op::kLoadFast:
    case Op::kLoadClosure: return load_slot(s);
    case Op::kMakeCell: return make_cell(s);
    case Op::kLoadFastAndClear: return load_fast_and_clear(s);
    case Op::kStoreFast: return store_fast(s);
    case Op::kDeleteFast: return delete_fast(s);
    case Op::kLoadGlobal: return step_load_global(s);
    case Op::kStoreGlobal: return step_store_global(s);
    case Op::kDeleteGlobal: return step_delete_global(s);
    case Op::kLoadDeref:
    case Op::kStoreDeref:
    case Op::kDeleteDeref: return step_deref(s);
    default: return dispatch_rare(s);
  }
}

// The one place that says how each operation is run.
Step dispatch(const Stepping& s) {
  switch (s.instr.op) {
    case Op::kNop:
    case Op::kResume:
    case Op::kSetupFinally:
    case Op::kSetupLoop:
    case Op::kPopBlock: return s.next();
    case Op::kPop: return pop_top(s);
    case Op::kCopy: return copy(s);
    case Op::kSwap: return swap(s);
    case Op::kRot: return rotate(s);
    case Op::kPushNull: return push_null(s);
    case Op::kLoadConst: return s.push(Ref::share(s.code.constant(s.instr.arg)));
    case Op::kLoadNone: return s.push(Ref::none());
    case Op::kLoadInt: return s.push(Ref::steal(PyLong_FromLong(s.instr.arg)));
    case Op::kLoadCommonConstant: return s.push(Ref::share(version::common_constant(s.instr.arg)));
    case Op::kLoadAttr: return load_attr(s);
    case Op::kStoreAttr: return store_attr(s);
    case Op::kDeleteAttr: return delete_attr(s);
    case Op::kLoadMethod: return load_method(s);
    case Op::kSubscr: return subscr(s);
    case Op::kStoreSubscr: return store_subscr(s);
    case Op::kDeleteSubscr: return delete_subscr(s);
    case Op::kUnary: return unary(s);
    case Op::kToBool: return to_bool(s);
    case Op::kBinary: return binary<python_binary>(s);
    case Op::kInplaceBinary: return binary<inplace_binary>(s);
    case Op::kCompare: return compare(s);
    case Op::kIsOp: return is_op(s);
    case Op::kContainsOp: return contains_op(s);
    case Op::kBuildTuple:
    case Op::kBuildList:
    case Op::kBuildSet:
    case Op::kBuildMap:
    case Op::kBuildConstKeyMap:
    case Op::kBuildSlice:
    case Op::kBuildString: return step_build(s);
    case Op::kConvertValue:
    case Op::kFormatValue: return step_format(s);
    case Op::kListAppend:
    case Op::kSetAdd:
    case Op::kMapAdd:
    case Op::kListExtend:
    case Op::kSetUpdate:
    case Op::kDictUpdate:
    case Op::kDictMerge: return step_add_item(s);
    case Op::kListToTuple: return list_to_tuple(s);
    case Op::kBuildUnpack: return step_build_unpack(s);
    case Op::kUnpackSequence:
    case Op::kUnpackEx: return step_unpack(s);
    case Op::kMakeFunction: return step_make_function(s);
    case Op::kSetFunctionAttribute: return step_set_function_attribute(s);
    case Op::kJump: return take_jump(s);
    case Op::kPopJumpIfFalse: return branch(s, false, false);
    case Op::kPopJumpIfTrue: return branch(s, true, false);
    case Op::kJumpIfFalseOrPop: return branch(s, false, true);
    case Op::kJumpIfTrueOrPop: return branch(s, true, true);
    case Op::kPopJumpIfNone: return branch_none(s, true);
    case Op::kPopJumpIfNotNone: return branch_none(s, false);
    case Op::kGetIter: return get_iter(s);
    case Op::kForIter: return for_iter(s);
    case Op::kReturnConst:
      return {Step::kReturn, s.index, Ref::share(s.code.constant(s.instr.arg))};
    case Op::kReturnValue: return {Step::kReturn, s.index, s.frame.pop()};
    case Op::kCall: return after_call(s, step_call(s));
    case Op::kCallEx: return after_call(s, step_call_ex(s));
    default: return dispatch_variable(s);
  }
}

// NULL lies on the stack for calls, and while a comprehension's variable is put aside. Only code of
// no compiler hands it to anything else.
bool takes_null(Op op) {
  switch (op) {
    case Op::kCall:
    case Op::kCallEx:
    case Op::kPop:
    case Op::kSwap:
    case Op::kRot:
    case Op::kStoreFast: return true;
    default: return false;
  }
}

bool holds_null(const FrameView& frame, int items) {
  for (int i = 1; i <= items; ++i)
    if (!frame.peek(i)) return true;
  return false;
}

}  // namespace

bool can_step(const Instr& instr) {
  if (instr.flags & Instr::kInHandler) return false;
  switch (instr.op) {
    case Op::kCopyFreeVars:
    case Op::kImportStar:
    case Op::kRaise:
    case Op::kPushExcInfo:
    case Op::kPopExcept:
    case Op::kCheckExcMatch:
    case Op::kCheckEgMatch:
    case Op::kPrepReraiseStar:
    case Op::kMatchClass:
    case Op::kJumpIfNotExcMatch:
    case Op::kWithExceptStart:
    case Op::kReraise:
    case Op::kYieldValue:
    case Op::kGetYieldFromIter:
    case Op::kYieldFrom:
    case Op::kSend:
    case Op::kUnsupported: return false;
    default: return true;
  }
}

Step step(FrameView& frame, const DecodedCode& code, int index) {
  const Instr& instr = code[index];
  const Stepping stepping{frame, code, index, instr};
  // A debugger that starts inside a call has to see the lines that follow.
  if (instr.is_exit() && frame.is_traced()) return stepping.hand_over();
  if (instr.is_exit() && !takes_null(instr.op) && holds_null(frame, pops(instr)))
    return stepping.hand_over();
  frame.set_current(instr.op_offset);
  return dispatch(stepping);
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
