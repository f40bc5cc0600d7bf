// CPython 3.10: jump operands count code units; pattern matching and ROT_N are new.
#include <Python.h>

#if PY_VERSION_HEX >= 0x030A0000 && PY_VERSION_HEX < 0x030B0000
#include "bytecode/versions/rows.h"

namespace msjit::version {

#define MSJIT_GEN "bytecode/versions/gen/py310.inc"
#include "bytecode/versions/block_slots.inc"
#include "bytecode/versions/opcode_table.inc"

namespace {
int jump_forward(const RawInstr& raw) { return raw.op_offset + 2 + 2 * raw.arg; }
int jump_absolute(const RawInstr& raw) { return 2 * raw.arg; }
}  // namespace

bool emit(const RawInstr& raw, Emitter& out) {
  const int arg = raw.arg;
  switch (raw.opcode) {
#include "bytecode/versions/block_rows.inc"
#include "bytecode/versions/common_rows.inc"
#include "bytecode/versions/try_rows.inc"
#include "bytecode/versions/until_311_rows.inc"
    RAW(ROT_N, Rot, arg)
    RAW(GET_LEN, GetLen)
    RAW(MATCH_MAPPING, MatchMapping)
    RAW(MATCH_SEQUENCE, MatchSequence)
    RAW(MATCH_KEYS, MatchKeys, 0, 1)
    RAW(MATCH_CLASS, MatchClass, arg, 1)
    RAW(COPY_DICT_WITHOUT_KEYS, CopyDictWithoutKeys)
    RAW(GEN_START, Nop)  // only a real frame has the first sent value on its stack
    default: return false;
  }
}

}  // namespace msjit::version
#endif
