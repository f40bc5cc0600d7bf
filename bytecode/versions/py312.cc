// CPython 3.12: inlined comprehensions, RETURN_CONST, attribute loads that make methods, slices and
// intrinsics.
#include <Python.h>

#if PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030D0000
#include "bytecode/versions/rows.h"

namespace msjit::version {

#define MSJIT_GEN "bytecode/versions/gen/py312.inc"
#include "bytecode/versions/opcode_table.inc"
#include "bytecode/versions/table_slots.inc"

namespace {

constexpr CallForm kCallForm = CallForm::kNullBelow;
constexpr int kEndForBytes = 2;  // END_FOR

#include "bytecode/versions/from_312_helpers.inc"

}  // namespace

bool emit(const RawInstr& raw, Emitter& out) {
  const int arg = raw.arg;
  switch (raw.opcode) {
#include "bytecode/versions/common_rows.inc"
#include "bytecode/versions/from_311_rows.inc"
#include "bytecode/versions/from_312_rows.inc"
    RAW_DO(LOAD_GLOBAL, if (arg & 1) out.add(Op::kPushNull); out.add(Op::kLoadGlobal, arg >> 1))
    RAW(LOAD_CLOSURE, LoadClosure, arg)
    RAW(COMPARE_OP, Compare, arg >> 4)
    RAW(FORMAT_VALUE, FormatValue, arg)
    RAW(MAKE_FUNCTION, MakeFunction, arg, 0)
    // Between KW_NAMES and CALL the interpreter keeps the names in a C variable, so a frame can
    // only resume at KW_NAMES.
    RAW_DO(KW_NAMES, out.set_call_names(arg); out.fold())
    RAW(CALL, Call, arg, out.take_call_names(), kCallForm)
    RAW(CALL_FUNCTION_EX, CallEx, arg & 1, 0, kCallForm)
    RAW_DO(END_FOR, out.add(Op::kPop); out.add(Op::kPop))
    default: return false;
  }
}

}  // namespace msjit::version
#endif
