// CPython 3.14: BINARY_OP reads items, small ints are operands of an instruction, a `with` block
// looks up its two methods one by one, and a separate instruction drops the iterator of a loop.
#define Py_BUILD_CORE
#include <Python.h>

#if PY_VERSION_HEX >= 0x030E0000 && PY_VERSION_HEX < 0x030F0000
#include <internal/pycore_interp_structs.h>

#include "bytecode/versions/rows.h"

namespace msjit::version {

#define MSJIT_GEN "bytecode/versions/gen/py314.inc"
#include "bytecode/versions/opcode_table.inc"
#include "bytecode/versions/table_slots.inc"

namespace {

constexpr CallForm kCallForm = CallForm::kNullAbove;
constexpr int kEndForBytes = 4;  // END_FOR, POP_ITER

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
    RAW_DO(LOAD_FAST_BORROW, load_slot(out, arg))
    RAW_DO(LOAD_FAST_BORROW_LOAD_FAST_BORROW, load_slot(out, first); load_slot(out, second))
    RAW(LOAD_SMALL_INT, LoadInt, arg)
    RAW(LOAD_COMMON_CONSTANT, LoadCommonConstant, arg)
    RAW_DO(LOAD_SPECIAL, if (arg <= kSpecialExit) out.add(Op::kLoadSpecial, arg);
           else out.add(Op::kUnsupported, raw.opcode, 1))
    RAW(WITH_EXCEPT_START, WithExceptStart, 0, 0, kCallForm)
    RAW(NOT_TAKEN, Nop)
    RAW(POP_ITER, Pop)
    // The keywords are NULL if there are none.
    RAW(CALL_FUNCTION_EX, CallEx, 1, 0, kCallForm)
    RAW_UNSUPPORTED(BUILD_TEMPLATE)
    RAW_UNSUPPORTED(BUILD_INTERPOLATION)
    default: return false;
  }
}

PyObject* common_constant(int index) { return PyThreadState_Get()->interp->common_consts[index]; }

}  // namespace msjit::version
#endif
