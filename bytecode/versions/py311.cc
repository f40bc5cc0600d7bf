// CPython 3.11: inline caches, exception table, directional jumps, NULLs of the call protocol.
#include <Python.h>

#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000
#include "bytecode/versions/rows.h"

namespace msjit::version {

#define MSJIT_GEN "bytecode/versions/gen/py311.inc"
#include "bytecode/versions/opcode_table.inc"

const int kHandlerItems = 1;

namespace {

int jump_forward(const RawInstr& raw) { return raw.op_offset + 2 + 2 * raw.arg; }
int jump_backward(const RawInstr& raw) { return raw.op_offset + 2 - 2 * raw.arg; }

// BINARY_OP arguments from here on are the in-place operators.
constexpr int kInplaceBase = kBinaryOpCount;

// Numbers of the exception table: big-endian groups of six bits, bit 6 says that more follow, bit 7
// marks the first byte of an entry.
class TableReader {
 public:
  TableReader(const uint8_t* begin, const uint8_t* end) : at_(begin), end_(end) {}
  bool more() const { return at_ < end_; }
  int number() {
    int value = 0;
    while (at_ < end_) {
      const uint8_t byte = *at_++;
      value = value << 6 | (byte & 63);
      if (!(byte & 64)) break;
    }
    return value;
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

constexpr uint8_t kLocalBit = 0x20;  // CO_FAST_LOCAL, _CELL, _FREE of the internal headers
constexpr uint8_t kCellBit = 0x40;
constexpr uint8_t kFreeBit = 0x80;

}  // namespace

Ref code_bytes(PyCodeObject* code) { return Ref::steal(PyCode_GetCode(code)); }

std::vector<RawHandler> exception_table(PyCodeObject* code) {
  std::vector<RawHandler> handlers;
  const auto* bytes = (const uint8_t*)PyBytes_AS_STRING(code->co_exceptiontable);
  TableReader reader(bytes, bytes + PyBytes_GET_SIZE(code->co_exceptiontable));
  while (reader.more()) {
    RawHandler handler;
    handler.begin = reader.number() * 2;
    handler.end = handler.begin + reader.number() * 2;
    handler.target = reader.number() * 2;
    const int depth_and_lasti = reader.number();
    handler.depth = depth_and_lasti >> 1;
    handler.lasti = depth_and_lasti & 1;
    handlers.push_back(handler);
  }
  return handlers;
}

void slots(PyCodeObject* code, std::vector<SlotKind>& kinds, std::vector<Ref>& names) {
  const auto* bits = (const uint8_t*)PyBytes_AS_STRING(code->co_localspluskinds);
  for (int i = 0; i < code->co_nlocalsplus; i++) {
    kinds.push_back(bits[i] & kFreeBit   ? SlotKind::kFree
                    : bits[i] & kCellBit ? SlotKind::kCell
                                         : SlotKind::kLocal);
    names.push_back(Ref::share(PyTuple_GET_ITEM(code->co_localsplusnames, i)));
  }
}

bool emit(const RawInstr& raw, Emitter& out) {
  const int arg = raw.arg;
  switch (raw.opcode) {
#include "bytecode/versions/common_rows.inc"
    RAW(CACHE, Nop)
    RAW(RESUME, Resume)
    RAW(MAKE_CELL, MakeCell, arg)
    RAW(COPY_FREE_VARS, CopyFreeVars, arg)
    RAW(PUSH_NULL, PushNull)
    RAW(COPY, Copy, arg)
    RAW(SWAP, Swap, arg)
    RAW_DO(LOAD_GLOBAL, if (arg & 1) out.add(Op::kPushNull); out.add(Op::kLoadGlobal, arg >> 1))
    RAW(LOAD_CLOSURE, LoadClosure, arg)
    RAW(LOAD_DEREF, LoadDeref, arg)
    RAW(STORE_DEREF, StoreDeref, arg)
    RAW(DELETE_DEREF, DeleteDeref, arg)
    RAW(LOAD_CLASSDEREF, LoadClassDeref, arg)
    RAW_DO(BINARY_OP, if (arg < kInplaceBase) out.add(Op::kBinary, arg);
           else out.add(Op::kInplaceBinary, arg - kInplaceBase))
    RAW_JUMP(JUMP_BACKWARD, Jump, jump_backward(raw))
    RAW_JUMP(JUMP_BACKWARD_NO_INTERRUPT, Jump, jump_backward(raw))
    RAW_JUMP(POP_JUMP_FORWARD_IF_FALSE, PopJumpIfFalse, jump_forward(raw))
    RAW_JUMP(POP_JUMP_FORWARD_IF_TRUE, PopJumpIfTrue, jump_forward(raw))
    RAW_JUMP(POP_JUMP_FORWARD_IF_NONE, PopJumpIfNone, jump_forward(raw))
    RAW_JUMP(POP_JUMP_FORWARD_IF_NOT_NONE, PopJumpIfNotNone, jump_forward(raw))
    RAW_JUMP(POP_JUMP_BACKWARD_IF_FALSE, PopJumpIfFalse, jump_backward(raw))
    RAW_JUMP(POP_JUMP_BACKWARD_IF_TRUE, PopJumpIfTrue, jump_backward(raw))
    RAW_JUMP(POP_JUMP_BACKWARD_IF_NONE, PopJumpIfNone, jump_backward(raw))
    RAW_JUMP(POP_JUMP_BACKWARD_IF_NOT_NONE, PopJumpIfNotNone, jump_backward(raw))
    RAW_JUMP(JUMP_IF_FALSE_OR_POP, JumpIfFalseOrPop, jump_forward(raw))
    RAW_JUMP(JUMP_IF_TRUE_OR_POP, JumpIfTrueOrPop, jump_forward(raw))
    RAW(BEFORE_WITH, BeforeWith)
    RAW(PUSH_EXC_INFO, PushExcInfo)
    RAW(POP_EXCEPT, PopExcept, 1)
    RAW(CHECK_EXC_MATCH, CheckExcMatch)
    RAW(RERAISE, Reraise, 1)
    RAW(MAKE_FUNCTION, MakeFunction, arg, 0)
    // The names live in a C variable between KW_NAMES and CALL, so a frame can only resume at the
    // first.
    RAW_DO(KW_NAMES, out.set_call_names(arg); out.fold())
    RAW_DO(PRECALL, out.fold())
    RAW(CALL, Call, arg, out.take_call_names(), CallForm::kNullBelow)
    RAW(CALL_FUNCTION_EX, CallEx, arg & 1, 0, CallForm::kNullBelow)
    RAW(GET_LEN, GetLen)
    RAW(MATCH_MAPPING, MatchMapping)
    RAW(MATCH_SEQUENCE, MatchSequence)
    RAW_UNSUPPORTED(MATCH_KEYS)
    RAW_UNSUPPORTED(MATCH_CLASS)
    RAW_UNSUPPORTED(RETURN_GENERATOR)
    RAW_UNSUPPORTED(SEND)
    RAW_UNSUPPORTED(ASYNC_GEN_WRAP)
    RAW_UNSUPPORTED(CHECK_EG_MATCH)
    RAW_UNSUPPORTED(PREP_RERAISE_STAR)
    default: return false;
  }
}

}  // namespace msjit::version
#endif
