#include "bytecode/versions/unfold.h"

#include <algorithm>

namespace msjit::version {

namespace {

// Nested `finally` bodies multiply the instructions; code that grows beyond this stays with
// CPython.
constexpr size_t kMaxInstrs = 100000;

constexpr size_t kMaxBlocks = CO_MAXBLOCKS;  // CPython aborts the process when more are opened
constexpr int kExceptionItems = 6;

}  // namespace

Unfolder::Unfolder(PyCodeObject* code, std::span<const RawInstr> raws, const Rows& rows)
    : raws_(raws), rows_(rows), out_(code) {
  for (size_t i = 0; i < raws.size(); i++) {
    raw_index_[raws[i].offset] = int(i);
    if (const int offset = rows.handler(raws[i]); offset >= 0) handlers_.insert(offset);
  }
}

Result<std::vector<Instr>> Unfolder::run() {
  if (raws_.empty()) return std::vector<Instr>();
  place(0, {});
  while (!work_.empty()) {
    const int id = work_.top().second;
    work_.pop();
    if (places_[size_t(id)].index < 0) MSJIT_OK(follow(id));
  }
  link();
  return std::move(out_.instrs());
}

// Emits instructions from a place on, until control goes elsewhere or reaches instructions emitted
// before.
Status Unfolder::follow(int id) {
  for (;;) {
    const RawInstr* raw = raw_at(places_[size_t(id)].offset);
    if (!raw) return internal_error("[decode] control flow leaves the bytecode");
    out_.begin(*raw);
    if (places_[size_t(id)].index >= 0) {
      out_.add(Op::kJump).target = id;
      out_.end();
      return {};
    }
    places_[size_t(id)].index = int(out_.instrs().size());
    now_ = places_[size_t(id)].context;
    ended_ = false;
    MSJIT_OK(expand(*raw));
    out_.end();
    if (out_.instrs().size() > kMaxInstrs)
      return internal_error("[decode] too many ways through nested finally blocks");
    if (now_.blocks.size() > kMaxBlocks)
      return internal_error("[decode] too many nested blocks, got {}, expected at most {}",
                            now_.blocks.size(), kMaxBlocks);
    if (ended_) return {};
    id = place(raw->next_offset, now_);
  }
}

Status Unfolder::expand(const RawInstr& raw) {
  if (!rows_.emit(raw, *this)) {
    const size_t first = out_.instrs().size();
    if (!version::emit(raw, out_))
      return internal_error("[decode] unknown opcode, got {}", raw.opcode);
    for (size_t i = first; i < out_.instrs().size(); i++) apply(out_.instrs()[i]);
  }
  if (now_.depth < 0) return internal_error("[decode] stack underflow at {}", raw.offset);
  return std::move(failure_);
}

void Unfolder::bad(const RawInstr& raw) {
  failure_ = internal_error("[decode] unexpected {} at {}", opcode_name(raw.opcode), raw.offset);
}

// Applies the stack effect of an instruction, whose target, if any, is still a byte offset.
void Unfolder::apply(Instr& instr) {
  const auto settle = [](Context& context) {
    std::erase_if(context.marks, [&](const Mark& m) { return m.slot >= context.depth; });
  };
  const int below = now_.depth - pops(instr);
  std::erase_if(now_.marks, [&](const Mark& m) { return m.slot >= below; });
  now_.depth = below + pushes(instr);
  if (instr.op == Op::kPopBlock || instr.op == Op::kPopExcept)
    if (!now_.blocks.empty()) now_.blocks.pop_back();
  if (op_flags(instr.op) & kOpJump) {
    Context jumped = now_;
    jumped.depth = below + pushes_on_jump(instr);
    settle(jumped);
    instr.target = place(instr.target, jumped);
  }
  if (op_flags(instr.op) & kOpEnds) ended_ = true;
}

void Unfolder::add(Op op, int arg, int aux, CallForm form) { apply(out_.add(op, arg, aux, form)); }

void Unfolder::jump(Op op, int target_offset) {
  out_.jump(op, target_offset);
  apply(out_.instrs().back());
}

void Unfolder::setup(Op op, BlockKind kind, int target_offset) {
  const Block block{kind, now_.depth, target_offset, -1};
  Context there = now_;
  if (kind != BlockKind::kLoop) {
    there.blocks.push_back({BlockKind::kHandler, block.level, 0, -1});
    there.depth = block.level + kExceptionItems;
    there.marks.push_back({there.depth - 1, Way::kException, 0});
  }
  add(op, 0, int(kind));
  const int id = place(target_offset, there);
  out_.instrs().back().target = id;
  now_.blocks.push_back(block);
}

const Unfolder::Mark* Unfolder::mark_at(int from_top) const {
  for (const Mark& mark : now_.marks)
    if (mark.slot == now_.depth - from_top) return &mark;
  return nullptr;
}

// [exit, how] -> [how, None, result of exit(None, None, None)]. `how` is one item, or two where a
// return value or a loop's address is below the reason (3.7). With an exception the result is the
// state of WITH_EXCEPT_START in later versions.
void Unfolder::with_cleanup_start() {
  const Mark how = *mark_at(1);
  if (how.way == Way::kException) return add(Op::kWithExceptStart);
  if (how.way == Way::kReturn || how.way == Way::kContinue) {
    add(Op::kRot, 3);
    add(Op::kRot, 3);
  } else {
    add(Op::kSwap, 2);
  }
  for (int i = 0; i < 3; i++) add(Op::kLoadNone);
  add(Op::kCall, 3, kNamesNone);
  add(Op::kLoadNone);
  add(Op::kSwap, 2);
  now_.marks.push_back({how.slot - 1, how.way, how.where});
}

// Drops the items of WITH_CLEANUP_START. After an exception, a true result ends the `with`
// statement behind the END_FINALLY that follows.
void Unfolder::with_cleanup_finish(const RawInstr& raw) {
  const Mark* exception = mark_at(2);
  if (!exception || exception->way != Way::kException) {
    add(Op::kPop);
    return add(Op::kPop);
  }
  const RawInstr* end = raw_at(raw.next_offset);
  if (!end) return bad(raw);
  jump(Op::kPopJumpIfFalse, end->offset);
  for (int i = 0; i < 3; i++) add(Op::kPop);
  add(Op::kPopExcept, 3);
  add(Op::kPop);
  jump(Op::kJump, end->next_offset);
}

// The number of the place (offset, context). A new place is queued.
int Unfolder::place(int offset, const Context& context) {
  std::vector<int> key{offset, context.depth, int(context.blocks.size())};
  for (const Block& block : context.blocks)
    key.insert(key.end(), {int(block.kind), block.level, block.handler_offset});
  for (const Mark& mark : context.marks)
    key.insert(key.end(), {mark.slot, int(mark.way), mark.where});
  const auto [at, fresh] = place_ids_.emplace(std::move(key), int(places_.size()));
  if (fresh) {
    places_.push_back({offset, context});
    work_.emplace(offset, at->second);
  }
  return at->second;
}

// Replaces places by canonical indices.
void Unfolder::link() {
  std::vector<Instr>& instrs = out_.instrs();
  for (Instr& instr : instrs) {
    if (instr.target < 0) continue;
    instr.target = places_[size_t(instr.target)].index;
    instrs[size_t(instr.target)].flags |= Instr::kTarget;
  }
}

const RawInstr* Unfolder::raw_at(int offset) const {
  const auto found = raw_index_.find(offset);
  return found == raw_index_.end() ? nullptr : &raws_[size_t(found->second)];
}

}  // namespace msjit::version
