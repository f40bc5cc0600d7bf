// CPython 3.9: jump operands count bytes.
#include <Python.h>

#if PY_VERSION_HEX >= 0x03090000 && PY_VERSION_HEX < 0x030A0000
#include "bytecode/versions/rows.h"

namespace msjit::version {

#define MSJIT_GEN "bytecode/versions/gen/py39.inc"
#include "bytecode/versions/block_slots.inc"
#include "bytecode/versions/opcode_table.inc"

namespace {
int jump_forward(const RawInstr& raw) { return raw.op_offset + 2 + raw.arg; }
int jump_absolute(const RawInstr& raw) { return raw.arg; }
}  // namespace

bool emit(const RawInstr& raw, Emitter& out) {
  const int arg = raw.arg;
  switch (raw.opcode) {
#include "bytecode/versions/block_rows.inc"
#include "bytecode/versions/common_rows.inc"
#include "bytecode/versions/try_rows.inc"
#include "bytecode/versions/until_311_rows.inc"
    default: return false;
  }
}

}  // namespace msjit::version
#endif
