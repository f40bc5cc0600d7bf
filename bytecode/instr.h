// The canonical instruction set (isa.def) and a decoded instruction. The operand stack has the same
// slots as CPython's, NULLs included. So the state before an instruction that is an exit can be
// written into the real frame without translation.
//
// Arguments by operation. They are in `arg` unless `aux` is named. A "slot" indexes the frame's
// localsplus array, which holds locals, cells and free variables on every version.
//   LoadConst, ReturnConst   constant. LoadCommonConstant: see version::common_constant
//   LoadInt                  the value itself
//   *Fast, *Deref, *ClassDeref, LoadClosure, MakeCell   slot
//   *Global, *Name, *Attr, LoadMethod, ImportName, ImportFrom   index of a name
//   LoadFastAndClear         slot; pushes NULL for an unbound one, which StoreFast takes back
//   Copy n                   pushes the n-th item from the top (1 = top)
//   Swap n, Rot n            exchanges top and n-th; moves the top down to position n
//   Unary, Binary, InplaceBinary, Compare   UnaryOp; BinaryOp; Py_LT..Py_GE
//   ToBool                   none. Before an instruction that is no exit (a jump, `not`) the two
//                            together are one truth test
//   IsOp, ContainsOp         1 = negated
//   Build*                   item count. BuildUnpack: operands, aux an UnpackInto
//   UnpackEx                 before | after << 8
//   FormatValue              kFormat* bits. ConvertValue: the conversion
//   MakeFunction             bits 1 defaults, 2 kwdefaults, 4 annotations, 8 closure; aux 1 = a
//                            qualified name is above the code
//   SetFunctionAttribute     one of these bits; pops [value, function]
//   ListAppend, SetAdd, MapAdd, ListExtend, SetUpdate, DictUpdate, DictMerge
//                            depth of the container after the pops (1 = top)
//   StoreAttr, StoreSubscr   pop [value, object] and [value, container, key]
//   Raise                    0, 1 or 2 operands
//   ForIter                  keeps the iterator and pushes the item, or pops the iterator and jumps
//   SetupFinally             aux a BlockKind. SetupLoop: target is where `break` goes; it is no
//                            successor of the instruction itself
//   PopExcept, Reraise       number of slots removed
//   MatchKeys                leaves subject and keys and pushes the values, or None
//   MatchClass               pops [subject, class, names], with arg positional patterns; pushes the
//                            attributes, or None. On 3.10 MatchKeys and MatchClass have aux 1: they
//                            also push whether it matched, and MatchClass without a match leaves
//                            the subject
//   Unsupported              raw opcode; aux = net stack effect
//
// Calls. Call pops, bottom first: the callee slots named by `form`, then `arg` argument values,
// then the tuple of keyword names if aux == kNamesOnStack. It pushes the result. CallEx pops the
// callee slots, the positional iterable and, if arg is 1, a keyword mapping.
//   kPlain      [callable]                           3.7-3.10 CALL_FUNCTION, CALL_FUNCTION_KW, _EX
//   kNullBelow  [method, self] or [NULL, callable]   3.7-3.10 CALL_METHOD; 3.11, 3.12 CALL
//   kNullAbove  [callable, self] or [callable, NULL] 3.13 and later; the keyword mapping may be
//                                                    NULL
// LoadMethod pushes the two slots in the same form. LoadSpecial (kSpecialEnter or kSpecialExit)
// pushes a method that `with` needs, as kNullAbove. Keyword values are the last arguments. If aux
// >= 0, their names are constant `aux`. On 3.11 KW_NAMES + PRECALL + CALL is one Call that starts
// at KW_NAMES.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace msjit {

enum OpFlags : uint16_t {
  kOpJump = 1,           // `target` is a successor
  kOpEnds = 2,           // never falls through
  kOpHandler = 4,        // `target` is an exception handler
  kOpRaises = 8,         // can set a Python exception
  kOpPython = 16,        // can run arbitrary Python code
  kOpReads = 32,         // reads slot `arg`; deleting one does, as it raises where nothing is bound
  kOpWrites = 64,        // writes slot `arg`
  kOpNulls = 128,        // items that it takes may be NULL
  kOpGivesNull = 256,    // the last item it pushes is NULL
  kOpMayGiveNull = 512,  // the last item it pushes may be NULL
  kOpYields = 1024,      // occurs in generators only
};

// What the `arg` of an operation may be.
struct Operand {
  enum Kind : uint8_t { kRange, kConstant, kSlot, kCell, kName, kFreeVariables, kArguments };
  Kind kind = kRange;
  int first = 0, last = 0;  // of a range
};
namespace operands {  // as isa.def names them
constexpr Operand between(int first, int last) { return {Operand::kRange, first, last}; }
inline constexpr Operand kAnyNumber = between(INT32_MIN, INT32_MAX);
inline constexpr Operand kCount = between(0, (1 << 24) - 1);
inline constexpr Operand kDepth = between(1, (1 << 24) - 1);          // of an item on the stack
inline constexpr Operand kConstant = {Operand::kConstant};            // number of a constant
inline constexpr Operand kSlot = {Operand::kSlot};                    // of a slot
inline constexpr Operand kCell = {Operand::kCell};                    // of a slot that holds a cell
inline constexpr Operand kName = {Operand::kName};                    // of a name
inline constexpr Operand kFreeVariables = {Operand::kFreeVariables};  // how many the code has
inline constexpr Operand kArguments = {Operand::kArguments};          // how many a call has
}  // namespace operands

enum class Op : uint8_t {
#define MSJIT_CANON(name, ...) k##name,
#include "bytecode/isa.def"
};
#define MSJIT_CANON(name, ...) +1
inline constexpr int kOpCount = 0
#include "bytecode/isa.def"
    ;

enum class UnaryOp : uint8_t { kPositive, kNegative, kNot, kInvert };
// In the order of CPython 3.11's BINARY_OP argument.
enum class BinaryOp : uint8_t {
  kAdd,
  kAnd,
  kFloorDivide,
  kLshift,
  kMatMul,
  kMul,
  kRemainder,
  kOr,
  kPower,
  kRshift,
  kSubtract,
  kTrueDivide,
  kXor,
};
inline constexpr int kBinaryOpCount = 13;

// What the operands of a BuildUnpack are merged into (up to 3.8). kArguments and kKeywords are the
// tuple and the dict of a call, whose errors name the callee.
enum class UnpackInto : int32_t { kTuple, kList, kSet, kMap, kArguments, kKeywords };

// Blocks of a frame's block stack (up to 3.10). kHandler is the block of a handler while it runs.
enum class BlockKind : int32_t { kFinally, kExcept, kLoop, kHandler };

enum class CallForm : uint8_t { kPlain, kNullBelow, kNullAbove };
inline constexpr int kNamesNone = -1;
inline constexpr int kNamesOnStack = -2;

inline constexpr int kAnnotate =
    16;  // bit of SetFunctionAttribute: a function that makes the annotations
inline constexpr int kAssertionError = 0;                  // of LoadCommonConstant
inline constexpr int kSpecialEnter = 0, kSpecialExit = 1;  // of LoadSpecial

inline constexpr int kFormatSpec = 4;        // a format specification lies on top
inline constexpr int kFormatConversion = 3;  // mask: 0 none, 1 str, 2 repr, 3 ascii

struct Instr {
  enum Flags : uint8_t {
    kExit = 1,          // a frame may be resumed here: `offset` is where CPython continues
    kInHandler = 2,     // reached only while an exception is handled; never stepped natively
    kTarget = 4,        // some jump or handler range goes here
    kNewLine = 8,       // first instruction of a source line
    kOfGenerator = 16,  // occurs in the code of generators only
  };
  Op op = Op::kNop;
  uint8_t flags = 0;
  CallForm form = CallForm::kPlain;
  int32_t arg = 0;
  int32_t aux = 0;
  int32_t target = -1;      // canonical index; see kOpJump and kOpHandler
  int32_t offset = 0;       // byte offset of the first code unit, EXTENDED_ARG included
  int32_t op_offset = 0;    // byte offset that CPython's frame has while it runs (and raises)
  int32_t next_offset = 0;  // byte offset of the next instruction, behind the inline caches
  int32_t line = 0;

  bool is_exit() const { return flags & kExit; }
  UnaryOp unary() const { return UnaryOp(arg); }
  BinaryOp binary() const { return BinaryOp(arg); }
};

const char* op_name(Op op);
const char* unary_symbol(UnaryOp op);    // "-"
const char* binary_symbol(BinaryOp op);  // "+"
int op_flags(Op op);                     // OpFlags
const Operand& operand_of(Op op);

// Stack effect of `instr` in slots: how many it removes and how many it then adds.
int pops(const Instr& instr);
int pushes(const Instr& instr);
int pushes_on_jump(const Instr& instr);
// How many of the topmost items the instruction takes or reads.
int items_seen(const Instr& instr);

inline int flag_count(int bits) { return std::popcount(unsigned(bits) & 15u); }
inline int unsupported_pops(int effect) { return effect < 0 ? -effect : 0; }
inline int unsupported_pushes(int effect) { return effect > 0 ? effect : 0; }

inline int depth(const Instr& instr) { return instr.arg > 1 ? instr.arg : 1; }
int exit_reach(const Instr& instr);  // items down to the __exit__ that WithExceptStart calls

inline int callee_slots(CallForm form) { return form == CallForm::kPlain ? 1 : 2; }
inline int call_pops(const Instr& call) {
  if (call.op == Op::kCallEx) return callee_slots(call.form) + 1 + call.arg;
  return callee_slots(call.form) + call.arg + (call.aux == kNamesOnStack ? 1 : 0);
}

// Where the parts of a call are, as indices from the lowest popped slot. `first` is the first
// argument and `count` their number, including a bound `self`. `is_null(k)` says whether popped
// slot k is NULL.
struct CallSlots {
  int callable = 0;
  int first = 0;
  int count = 0;
};
template <class IsNull>
CallSlots call_slots(const Instr& call, IsNull is_null) {
  const int values = call.op == Op::kCallEx ? 1 + call.arg : call.arg;
  if (call.form == CallForm::kPlain) return {0, 1, values};
  if (call.form == CallForm::kNullBelow)
    return is_null(0) ? CallSlots{1, 2, values} : CallSlots{0, 1, values + 1};
  return is_null(1) ? CallSlots{0, 2, values} : CallSlots{0, 1, values + 1};
}

}  // namespace msjit
