// CPython 3.8: a `finally` body is called with a return address, or entered with a NULL or an
// exception.
#include <Python.h>

#if PY_VERSION_HEX >= 0x03080000 && PY_VERSION_HEX < 0x03090000
#include "bytecode/versions/rows.h"
#include "bytecode/versions/unfold.h"

namespace msjit::version {

#define MSJIT_GEN "bytecode/versions/gen/py38.inc"
#define MSJIT_UNFOLDS
#include "bytecode/versions/block_slots.inc"
#include "bytecode/versions/opcode_table.inc"
// behind the opcode numbers
#include "bytecode/versions/end_flow.inc"

bool emit(const RawInstr& raw, Emitter& out) {
  const int arg = raw.arg;
  switch (raw.opcode) {
#include "bytecode/versions/block_rows.inc"
#include "bytecode/versions/common_rows.inc"
#include "bytecode/versions/end_rows.inc"
#include "bytecode/versions/until_311_rows.inc"
    RAW(ROT_FOUR, Rot, 4)
    RAW(MAP_ADD, MapAdd, arg)
    RAW(BEGIN_FINALLY, PushNull)
    RAW_UNSUPPORTED(CALL_FINALLY)
    RAW_UNSUPPORTED(POP_FINALLY)
    RAW_OF_GENERATOR(END_ASYNC_FOR)
    default: return false;
  }
}

namespace {

using Way = Unfolder::Way;

void end_finally(const RawInstr& raw, Unfolder& u) {
  const Unfolder::Mark* mark = u.mark_at(1);
  if (!mark) return u.bad(raw);
  const int where = mark->where;
  switch (mark->way) {
    case Way::kNormal: return u.add(Op::kPop);
    case Way::kException: return u.add(Op::kReraise, 3);
    case Way::kReturnTo: u.add(Op::kPop); return u.jump(Op::kJump, where);
    default: return u.bad(raw);
  }
}

// Leaves a `finally` body otherwise than by END_FINALLY (POP_FINALLY). With an argument of 1 the
// top item stays.
void pop_finally(const RawInstr& raw, Unfolder& u) {
  const Unfolder::Mark* mark = u.mark_at(1 + raw.arg);
  if (!mark) return u.bad(raw);
  if (mark->way != Way::kException) {
    if (raw.arg) u.add(Op::kSwap, 2);
    return u.add(Op::kPop);
  }
  if (raw.arg) u.add(Op::kRot, 7);
  for (int i = 0; i < 3; i++) u.add(Op::kPop);
  u.add(Op::kPopExcept, 3);
}

bool emit_flow(const RawInstr& raw, Unfolder& u) {
  switch (raw.opcode) {
    case opcode::SETUP_FINALLY:
      u.setup(Op::kSetupFinally, BlockKind::kFinally, jump_forward(raw));
      return true;
    case opcode::SETUP_WITH:
      u.setup(Op::kBeforeWith, BlockKind::kFinally, jump_forward(raw));
      return true;
    case opcode::BEGIN_FINALLY:
      u.add(Op::kPushNull);
      u.mark(Way::kNormal);
      return true;
    case opcode::CALL_FINALLY:
      u.add(Op::kLoadInt, raw.next_offset);
      u.mark(Way::kReturnTo, raw.next_offset);
      u.jump(Op::kJump, jump_forward(raw));
      return true;
    case opcode::END_FINALLY: end_finally(raw, u); return true;
    case opcode::POP_FINALLY: pop_finally(raw, u); return true;
    case opcode::WITH_CLEANUP_START:
      u.mark_at(1) ? u.with_cleanup_start() : u.bad(raw);
      return true;
    case opcode::WITH_CLEANUP_FINISH: u.with_cleanup_finish(raw); return true;
    case opcode::SETUP_ASYNC_WITH: u.bad(raw); return true;
    default: return false;
  }
}

}  // namespace

Result<std::vector<Instr>> unfold(PyCodeObject* code, std::span<const RawInstr> raws) {
  return Unfolder(code, raws, {emit_flow, finally_offset}).run();
}

}  // namespace msjit::version
#endif
