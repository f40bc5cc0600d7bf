// CPython 3.13: the callable is below its NULL, truth tests are instructions, and one instruction
// can load two variables.
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

#include "bytecode/versions/from_312_helpers.inc"

}  // namespace

bool emit(const RawInstr& raw, Emitter& out) {
  const int arg = raw.arg;
  const int first = arg >> 4, second = arg & 15;  // of the instructions for two variables
  switch (raw.opcode) {
#include "bytecode/versions/common_rows.inc"
#include "bytecode/versions/from_311_rows.inc"
#include "bytecode/versions/from_312_rows.inc"
#include "bytecode/versions/from_313_rows.inc"
    RAW(CALL_FUNCTION_EX, CallEx, arg & 1, 0, kCallForm)
    default: return false;
  }
}

}  // namespace msjit::version
#endif
