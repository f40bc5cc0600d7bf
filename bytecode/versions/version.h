// What the decoder needs of one CPython minor version. Implemented by exactly one py3XX.cc of this
// directory; the others compile to nothing. Nothing else may know raw opcodes.
#pragma once

#include <vector>

#include "bytecode/decode.h"

namespace msjit::version {

struct RawInstr {
  int opcode = 0;
  int arg = 0;          // EXTENDED_ARG applied
  int offset = 0;       // first code unit, EXTENDED_ARG included
  int op_offset = 0;    // the operation itself
  int next_offset = 0;  // behind its inline caches
};

// Collects the canonical instructions of one code object. Jump targets are byte offsets until the
// decoder resolves them.
class Emitter {
 public:
  explicit Emitter(PyCodeObject* code);

  void begin(const RawInstr& raw) {
    raw_ = raw;
    if (start_ < 0) start_ = raw.offset;
    first_ = true;
  }
  Instr& add(Op op, int arg = 0, int aux = 0, CallForm form = CallForm::kPlain);
  void jump(Op op, int target_offset) { add(op).target = target_offset; }
  void end() {
    if (!folding_) start_ = -1;
    folding_ = false;
  }
  // The current raw instruction becomes part of the next one's canonical instruction.
  void fold() { folding_ = true; }
  // Called for RETURN_GENERATOR (from 3.11 on). The code of a generator must begin with it, once,
  // and no other code may contain it.
  void begin_generator();
  bool begins_rightly(bool is_generator) const {
    return !begins_inside_ && generator_begun_ == is_generator;
  }
  void set_call_names(int constant) { names_ = constant; }
  int take_call_names() { return std::exchange(names_, kNamesNone); }

  // Frame slot of a cell or free variable numbered the way opcodes up to 3.10 do.
  int cell(int index) const { return code_->co_nlocals + index; }
  SlotKind slot_kind(int slot) const {
    return size_t(slot) < slot_kinds_.size() ? slot_kinds_[size_t(slot)] : SlotKind::kLocal;
  }

  std::vector<Instr>& instrs() { return instrs_; }

 private:
  PyCodeObject* code_;
  std::vector<SlotKind> slot_kinds_;
  RawInstr raw_;
  int start_ = -1;
  bool first_ = true;
  bool folding_ = false;
  bool generator_begun_ = false;
  bool begins_inside_ = false;
  int names_ = kNamesNone;
  std::vector<Instr> instrs_;
};

struct RawHandler {
  int begin, end, target;  // byte offsets
  int depth;
  bool lasti;
};

// The number of stack items an exception pushes before the handler runs, without `lasti`.
extern const int kHandlerItems;
extern const int kExtendedArg;
extern const bool kPopsNull;           // POP_TOP accepts a NULL
extern const bool kReturnsGenerators;  // calling a generator runs its RETURN_GENERATOR

// generator.throw() of a class, a value and a traceback gives a DeprecationWarning.
inline constexpr bool kThrowWarns = PY_VERSION_HEX >= 0x030c0000;

// The bytecode without specialised instructions. Null, without an exception set, for code that no
// compiler made.
Ref code_bytes(PyCodeObject* code);
// Emits the canonical form of one instruction; false when the version has no such opcode.
bool emit(const RawInstr& raw, Emitter& out);
// True up to 3.8, where a `finally` body is compiled once and its end depends on the stack. There
// the instructions come from `unfold`, with targets as canonical indices.
extern const bool kUnfolds;
Result<std::vector<Instr>> unfold(PyCodeObject* code, std::span<const RawInstr> raws);
// The error text for more values than names. `got` is the number of values, or -1 if the iterable
// is no list, tuple or dict.
std::string too_many_values(int expected, Py_ssize_t got);
inline bool has_known_size(PyTypeObject* type) {
  return type == &PyList_Type || type == &PyTuple_Type || type == &PyDict_Type;
}
// The object that LoadCommonConstant loads; up to 3.13 there is only one.
PyObject* common_constant(int index);
int cache_units(int opcode);
const char* opcode_name(int opcode);  // null when there is none
int stack_effect(int opcode, int arg);
std::vector<RawHandler> exception_table(PyCodeObject* code);
// Kind and name of every localsplus slot.
void slots(PyCodeObject* code, std::vector<SlotKind>& kinds, std::vector<Ref>& names);

}  // namespace msjit::version
