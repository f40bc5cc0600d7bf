#include "bytecode/cfg.h"

namespace msjit {
// Backward fixed point over instructions, with one row of bits for each instruction.
Liveness::Liveness(const DecodedCode& code) : slots_(code.slot_count()) {
  const size_t slots = size_t(slots_);
  const int count = code.size();
  std::vector<std::vector<bool>> live(size_t(count) + 1, std::vector<bool>(slots));
  const auto merge = [&](std::vector<bool>& into, int from) {
    const std::vector<bool>& other = live[size_t(from)];
    for (size_t s = 0; s < slots; s++)
      if (other[s]) into[s] = true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = count; i-- > 0;) {
      const Instr& instr = code[i];
      const int flags = op_flags(instr.op);
      std::vector<bool> now(slots);
      if (!(flags & kOpEnds)) merge(now, i + 1);
      if ((flags & kOpJump) && instr.target >= 0) merge(now, instr.target);
      if (flags & (kOpReads | kOpWrites)) now[size_t(instr.arg)] = (flags & kOpReads) != 0;
      if (const HandlerRange* handler = code.handler(i)) merge(now, handler->target);
      if (now != live[size_t(i)]) live[size_t(i)] = std::move(now), changed = true;
    }
  }
  bits_.assign((size_t(count) * slots + 63) / 64, 0);
  for (int i = 0; i < count; i++) {
    for (size_t s = 0; s < slots; s++) {
      if (!live[size_t(i)][s] && code.slot_kind(int(s)) == SlotKind::kLocal) continue;
      const size_t bit = size_t(i) * slots + s;
      bits_[bit >> 6] |= uint64_t(1) << (bit & 63);
    }
  }
}

}  // namespace msjit
