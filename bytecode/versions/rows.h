// Macros of the version rows (common_rows.inc and py3XX.cc). A row is a case of version::emit, with
// `raw`, `arg` and `out` in scope. Included only by the py3XX.cc that is compiled.
#pragma once

#include "bytecode/versions/version.h"

// RAW(OPCODE, Canonical, arg, aux, form): one canonical instruction.
#define RAW(name, op, ...) \
  case opcode::name: out.add(Op::k##op, ##__VA_ARGS__); return true;
// RAW_JUMP(OPCODE, Canonical, target byte offset)
#define RAW_JUMP(name, op, target) \
  case opcode::name: out.jump(Op::k##op, target); return true;
// RAW_DO(OPCODE, statements): anything else.
#define RAW_DO(name, ...) \
  case opcode::name: {    \
    __VA_ARGS__;          \
    return true;          \
  }
// Left to CPython on purpose.
#define RAW_UNSUPPORTED(name)                                                 \
  case opcode::name:                                                          \
    out.add(Op::kUnsupported, raw.opcode, stack_effect(raw.opcode, raw.arg)); \
    return true;
// The same, for opcodes that occur in generators and coroutines only: CPython relies on what their
// handlers left on the stack.
#define RAW_OF_GENERATOR(name)                                                        \
  case opcode::name:                                                                  \
    out.add(Op::kUnsupported, raw.opcode, stack_effect(raw.opcode, raw.arg)).flags |= \
        Instr::kOfGenerator;                                                          \
    return true;
