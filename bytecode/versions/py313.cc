// CPython 3.13: the callable lies below its NULL, truth tests are instructions of their own, two
// variables a load.
#include <Python.h>

#if PY_VERSION_HEX >= 0x030D0000 && PY_VERSION_HEX < 0x030E0000
#include "bytecode/versions/rows.h"

namespace msjit::version {

#define MSJIT_GEN "bytecode/versions/gen/py313.inc"
#include "bytecode/versions/opcode_table.inc"
#include "bytecode/versions/table_slots.inc"

namespace {

constexpr CallForm kCallForm = CallForm::kNullAbove;
constexpr int kEndForBytes = 4;  // END_FOR, POP_TOP
constexpr int kCompareToBool = 16;

#include "bytecode/versions/from_312_helpers.inc"

}  // namespace

bool emit(const RawInstr& raw, Emitter& out) {
  const int arg = raw.arg;
  const int first = arg >> 4, second = arg & 15;  // of the instructions for two variables
  switch (raw.opcode) {
#include "bytecode/versions/common_rows.inc"
#include "bytecode/versions/from_311_rows.inc"
#include "bytecode/versions/from_312_rows.inc"
    RAW_DO(LOAD_FAST_LOAD_FAST, load_slot(out, first); load_slot(out, second))
    RAW_DO(STORE_FAST_LOAD_FAST, out.add(Op::kStoreFast, first); load_slot(out, second))
    RAW_DO(STORE_FAST_STORE_FAST, out.add(Op::kStoreFast, first); out.add(Op::kStoreFast, second))
    RAW_DO(LOAD_GLOBAL, out.add(Op::kLoadGlobal, arg >> 1); if (arg & 1) out.add(Op::kPushNull))
    RAW_DO(COMPARE_OP, out.add(Op::kCompare, arg >> 5);
           if (arg & kCompareToBool) out.add(Op::kToBool))
    RAW(TO_BOOL, ToBool)
    RAW(CONVERT_VALUE, ConvertValue, arg)
    RAW(FORMAT_SIMPLE, FormatValue, 0)
    RAW(FORMAT_WITH_SPEC, FormatValue, kFormatSpec)
    RAW(MAKE_FUNCTION, MakeFunction, 0, 0)
    RAW(SET_FUNCTION_ATTRIBUTE, SetFunctionAttribute, arg)
    RAW(CALL, Call, arg, kNamesNone, kCallForm)
    RAW(CALL_KW, Call, arg, kNamesOnStack, kCallForm)
    RAW(CALL_FUNCTION_EX, CallEx, arg & 1, 0, kCallForm)
    RAW(END_FOR, Pop)
    RAW_UNSUPPORTED(ENTER_EXECUTOR)
    RAW_UNSUPPORTED(EXIT_INIT_CHECK)
    default: return false;
  }
}

}  // namespace msjit::version
#endif
