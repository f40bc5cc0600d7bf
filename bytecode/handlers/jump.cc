// Branches on Python values: decided while capturing, under the guards that reading the value
// installed.
#include "bytecode/control.h"
#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/tensor_value.h"
#include "guards/py/text.h"

namespace msjit {
namespace {

// Classes are true unless their metaclass says otherwise; that of enumerations says so too.
bool class_truth(Executor& x, const SymRef& cls, bool* out) {
  PyTypeObject* const meta = Py_TYPE(cls->object.get());
  if (has_plain_metaclass(cls->object.get())) return *out = true;
  const bool asks = _PyType_Lookup(meta, special_name("__bool__")) ||
                    _PyType_Lookup(meta, special_name("__len__"));
  if ((asks && !is_enum_class(cls)) || !x.heap().guard_class_version(meta))
    return x.fail(BreakReason::kCallUnknown, "bool() of " + describe(*cls));
  return *out = true;
}

}  // namespace

bool Executor::truth(const SymRef& value, bool* out) {
  if (!look_open(value)) return false;
  switch (value->kind) {
    case SymKind::kConst: {
      if (PyType_Check(value->object.get())) return class_truth(*this, value, out);
      if (PyFunction_Check(value->object.get())) return *out = true;
      if (is_array(value)) break;
      if (Py_TYPE(value->object.get())->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        if (find_special(value, "__bool__") || find_special(value, "__len__")) break;
        return *out = true;
      }
      const int result = PyObject_IsTrue(value->object.get());
      if (result < 0) return raise_python("bool()");
      *out = result != 0;
      return true;
    }
    case SymKind::kSize:
      *out = sizes_.decide(SizeCompare::kNotEqual, value->size, size_const(0));
      return true;
    case SymKind::kTuple:
    case SymKind::kList: *out = !value->items.empty(); return true;
    case SymKind::kSet:
    case SymKind::kVars: {
      int64_t size = 0;
      if (!length(value, &size)) return false;
      return *out = size != 0, true;
    }
    case SymKind::kDict:
      if (!heap_.dict_all(value)) return fail(BreakReason::kObjectType, heap_.error);
      *out = !value->entries.empty();
      return true;
    case SymKind::kIterator:
      if (value->iterator->kind == IterKind::kDictView)
        return truth(value->iterator->children[0], out);
      [[fallthrough]];
    case SymKind::kMethod:
    case SymKind::kFunction:
    case SymKind::kSlice: *out = true; return true;
    case SymKind::kTensor: return fail(BreakReason::kTensorTruth, "what is written here");
    case SymKind::kObject: {
      const SymRef plain = plain_value(*this, value);
      return plain != value ? truth(plain, out) : instance_truth(*this, value, out);
    }
    default: break;
  }
  return fail(BreakReason::kCallUnknown, "bool() of " + describe(*value));
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
