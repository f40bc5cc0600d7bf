// CPython 3.7: loops have blocks. `return`, `break` and `continue` unwind the block stack at run
// time, through `finally` bodies that find the reason on the stack.
#include <Python.h>

#if PY_VERSION_HEX >= 0x03070000 && PY_VERSION_HEX < 0x03080000
#include "bytecode/versions/rows.h"
#include "bytecode/versions/unfold.h"

namespace msjit::version {

#define MSJIT_GEN "bytecode/versions/gen/py37.inc"
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
    // [value, key]; later versions have the key below.
    RAW_DO(MAP_ADD, out.add(Op::kSwap, 2); out.add(Op::kMapAdd, arg))
    RAW_JUMP(SETUP_LOOP, SetupLoop, jump_forward(raw))
    RAW_JUMP(SETUP_EXCEPT, SetupFinally, jump_forward(raw))
    RAW_UNSUPPORTED(BREAK_LOOP)
    RAW_UNSUPPORTED(CONTINUE_LOOP)
    default: return false;
  }
}

namespace {

using Way = Unfolder::Way;

// The reason that the interpreter puts on the stack for END_FINALLY.
int reason(Way way) {
  enum { kWhyReturn = 8, kWhyBreak = 16, kWhyContinue = 32 };
  return way == Way::kReturn ? kWhyReturn : way == Way::kBreak ? kWhyBreak : kWhyContinue;
}

// Drops the items above `level`, except a return value on top.
void drop_to(Unfolder& u, int level, bool keep_top) {
  while (u.now().depth > level + keep_top) {
    if (keep_top) u.add(Op::kSwap, 2);
    u.add(Op::kPop);
  }
}

// Leaves blocks until one of them determines where to go on. A return value is the top item.
void unwind(const RawInstr& raw, Unfolder& u, Way way, int where) {
  const bool returns = way == Way::kReturn;
  while (!u.now().blocks.empty()) {
    const Block block = u.now().blocks.back();
    if (block.kind == BlockKind::kLoop && way == Way::kContinue) return u.jump(Op::kJump, where);
    if (block.kind == BlockKind::kHandler) {
      drop_to(u, block.level + 3, returns);
      if (returns) u.add(Op::kRot, 4);
      u.add(Op::kPopExcept, 3);
      continue;
    }
    drop_to(u, block.level, returns);
    u.add(Op::kPopBlock);
    if (block.kind == BlockKind::kLoop && way == Way::kBreak)
      return u.jump(Op::kJump, block.handler_offset);
    if (block.kind != BlockKind::kFinally) continue;
    if (way == Way::kContinue) u.add(Op::kLoadInt, where);
    u.add(Op::kLoadInt, reason(way));
    u.mark(way, where);
    return u.jump(Op::kJump, block.handler_offset);
  }
  returns ? u.add(Op::kReturnValue) : u.bad(raw);
}

void end_finally(const RawInstr& raw, Unfolder& u) {
  const Unfolder::Mark* mark = u.mark_at(1);
  if (!mark) return u.bad(raw);
  const Way way = mark->way;
  const int where = mark->where;
  if (way == Way::kException) return u.add(Op::kReraise, 3);
  u.add(Op::kPop);
  if (way == Way::kNormal) return;
  if (way == Way::kContinue) u.add(Op::kPop);
  unwind(raw, u, way, where);
}

bool emit_flow(const RawInstr& raw, Unfolder& u) {
  switch (raw.opcode) {
    case opcode::SETUP_LOOP:
      u.setup(Op::kSetupLoop, BlockKind::kLoop, jump_forward(raw));
      return true;
    case opcode::SETUP_EXCEPT:
      u.setup(Op::kSetupFinally, BlockKind::kExcept, jump_forward(raw));
      return true;
    case opcode::SETUP_FINALLY:
      u.setup(Op::kSetupFinally, BlockKind::kFinally, jump_forward(raw));
      return true;
    case opcode::SETUP_WITH:
      u.setup(Op::kBeforeWith, BlockKind::kFinally, jump_forward(raw));
      return true;
    case opcode::LOAD_CONST:  // the None that says "entered from above"
      if (!u.is_handler(raw.next_offset)) return false;
      u.add(Op::kLoadConst, raw.arg);
      u.mark(Way::kNormal);
      return true;
    case opcode::BREAK_LOOP: unwind(raw, u, Way::kBreak, 0); return true;
    case opcode::CONTINUE_LOOP: unwind(raw, u, Way::kContinue, raw.arg); return true;
    case opcode::RETURN_VALUE: unwind(raw, u, Way::kReturn, 0); return true;
    case opcode::END_FINALLY: end_finally(raw, u); return true;
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
