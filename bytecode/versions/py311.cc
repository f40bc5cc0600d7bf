// CPython 3.11: inline caches, exception table, directional jumps, NULLs of the call protocol.
#include <Python.h>

#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000
#include "bytecode/versions/rows.h"

namespace msjit::version {

#define MSJIT_GEN "bytecode/versions/gen/py311.inc"
#include "bytecode/versions/opcode_table.inc"
#include "bytecode/versions/table_slots.inc"

namespace {

int jump_forward(const RawInstr& raw) { return raw.op_offset + 2 + 2 * raw.arg; }
int jump_backward(const RawInstr& raw) { return raw.op_offset + 2 - 2 * raw.arg; }

}  // namespace

bool emit(const RawInstr& raw, Emitter& out) {
  const int arg = raw.arg;
  switch (raw.opcode) {
#include "bytecode/versions/common_rows.inc"
#include "bytecode/versions/from_311_rows.inc"
#include "bytecode/versions/until_311_rows.inc"
    RAW_DO(LOAD_GLOBAL, if (arg & 1) out.add(Op::kPushNull); out.add(Op::kLoadGlobal, arg >> 1))
    RAW(LOAD_CLOSURE, LoadClosure, arg)
    RAW(LOAD_CLASSDEREF, LoadClassDeref, arg)
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
    RAW(MAKE_FUNCTION, MakeFunction, arg, 0)
    // Between KW_NAMES and CALL the interpreter keeps the names in a C variable, so a frame can
    // only resume at KW_NAMES.
    RAW_DO(KW_NAMES, out.set_call_names(arg); out.fold())
    RAW_DO(PRECALL, out.fold())
    RAW(CALL, Call, arg, out.take_call_names(), CallForm::kNullBelow)
    RAW(CALL_FUNCTION_EX, CallEx, arg & 1, 0, CallForm::kNullBelow)
    RAW_JUMP(SEND, Send, jump_forward(raw))
    RAW_UNSUPPORTED(ASYNC_GEN_WRAP)
    RAW(PREP_RERAISE_STAR, PrepReraiseStar)
    default: return false;
  }
}

}  // namespace msjit::version
#endif
