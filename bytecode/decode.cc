#include "bytecode/decode.h"

#include <algorithm>
#include <memory>

#include "bytecode/verify.h"
#include "bytecode/versions/version.h"
#include "guards/py/code_lines.h"
#include "guards/py/compat.h"
#include "guards/py/text.h"

namespace msjit {
namespace version {

Emitter::Emitter(PyCodeObject* code) : code_(code) {
  std::vector<Ref> names;
  slots(code, slot_kinds_, names);
}

void Emitter::begin_generator() {
  for (const Instr& instr : instrs_)
    begins_inside_ |= instr.op != Op::kMakeCell && instr.op != Op::kCopyFreeVars;
  generator_begun_ = true;
}

Instr& Emitter::add(Op op, int arg, int aux, CallForm form) {
  Instr instr;
  instr.op = op;
  instr.form = form;
  instr.arg = arg;
  instr.aux = aux;
  instr.flags = first_ ? Instr::kExit : 0;
  instr.offset = start_;
  instr.op_offset = raw_.op_offset;
  instr.next_offset = raw_.next_offset;
  first_ = false;
  return instrs_.emplace_back(instr);
}

}  // namespace version

class Decoder {
 public:
  explicit Decoder(PyCodeObject* code) : out_(new DecodedCode) { out_->code_ = code; }

  Result<std::unique_ptr<DecodedCode>> run() {
    MSJIT_OK(read_instrs());
    MSJIT_OK(read_handlers());
    fuse_truth_tests();
    read_lines();
    read_slots();
    MSJIT_OK(verify_operands(*out_));
    Status flow = trace_flow();
    out_->flows_ = flow.ok();
    if (!flow.ok() && !out_->is_generator()) return flow.take_error();
    mark_handlers();
    for (int i = out_->size(); i-- > 0;)
      if ((*out_)[i].op == Op::kReturnValue) out_->return_offset_ = (*out_)[i].offset;
    return std::move(out_);
  }

 private:
  static inline const bool kHasBlocks = version::kHandlerItems > 1;

  struct State {
    StackItems items;
    std::vector<Block> blocks;
    int depth() const { return int(items.size()); }
    // Compares the blocks that a real frame has, without those of running handlers.
    bool same_blocks(const State& other) const {
      const auto own = [](const std::vector<Block>& all) {
        std::vector<Block> kept;
        for (const Block& block : all)
          if (block.kind != BlockKind::kHandler) kept.push_back(block);
        return kept;
      };
      return own(blocks) == own(other.blocks);
    }
  };

  std::vector<Instr>& instrs() { return out_->instrs_; }

  Status read_instrs() {
    const Ref bytes = version::code_bytes(out_->code_);
    if (!bytes && !PyErr_Occurred())
      return internal_error("[decode] the code ends inside an instruction or lacks some");
    if (!bytes) {
      PyErr_Clear();
      return memory_error("[decode] no memory for the bytecode");
    }
    const auto* code = (const uint8_t*)PyBytes_AS_STRING(bytes.get());
    const int size = int(PyBytes_GET_SIZE(bytes.get()));
    std::vector<version::RawInstr> raws;
    for (int at = 0; at + 1 < size;) {
      version::RawInstr raw;
      raw.offset = at;
      while (code[at] == version::kExtendedArg && at + 3 < size) {
        raw.arg = (raw.arg | code[at + 1]) << 8;
        at += 2;
      }
      raw.opcode = code[at];
      raw.arg |= code[at + 1];
      raw.op_offset = at;
      at += 2 + 2 * version::cache_units(raw.opcode);
      raw.next_offset = at;
      raws.push_back(raw);
    }
    bool unfolded = false;
    if (version::kUnfolds) {
      auto made = version::unfold(out_->code_, raws);
      if (!made.ok() && !out_->is_generator()) return made.take_error();
      if ((unfolded = made.ok())) instrs() = made.take();
    }
    if (!unfolded) MSJIT_OK(emit_all(raws));
    out_->index_at_.assign(size_t(size) / 2 + 1, -1);
    for (int i = 0; i < out_->size(); i++)
      if (instrs()[size_t(i)].is_exit())
        out_->index_at_[size_t(instrs()[size_t(i)].offset / 2)] = i;
    return unfolded ? Status() : resolve_targets();
  }

  Status emit_all(const std::vector<version::RawInstr>& raws) {
    version::Emitter emitter(out_->code_);
    for (const version::RawInstr& raw : raws) {
      emitter.begin(raw);
      if (!version::emit(raw, emitter))
        return internal_error("[decode] unknown opcode, got {}", raw.opcode);
      emitter.end();
    }
    if (version::kReturnsGenerators && !emitter.begins_rightly(out_->is_generator()))
      return internal_error(
          "[decode] the code of a generator, got another start, expected RETURN_GENERATOR");
    instrs() = std::move(emitter.instrs());
    return {};
  }

  Result<int> resolve(int offset) {
    const int index = out_->index_at(offset);
    if (index < 0) return internal_error("[decode] no instruction at jump target, got {}", offset);
    instrs()[size_t(index)].flags |= Instr::kTarget;
    return index;
  }

  Status resolve_targets() {
    for (Instr& instr : instrs()) {
      if (instr.target < 0) continue;
      MSJIT_TRY(instr.target, resolve(instr.target));
    }
    return {};
  }

  int index_from(int offset) const {
    int index = 0;
    while (index < out_->size() && (*out_)[index].op_offset < offset) index++;
    return index;
  }

  Status read_handlers() {
    for (const version::RawHandler& raw : version::exception_table(out_->code_)) {
      HandlerRange range;
      range.begin = index_from(raw.begin);
      range.end = index_from(raw.end);
      MSJIT_TRY(range.target, resolve(raw.target));
      // The handler that compilers from 3.12 on put around the body of a generator. It is for real
      // frames only.
      if (instrs()[size_t(range.target)].op == Op::kUnsupported) continue;
      range.depth = raw.depth;
      range.lasti = raw.lasti;
      out_->handlers_.push_back(range);
    }
    out_->handler_.assign(size_t(out_->size()), -1);
    for (size_t h = 0; h < out_->handlers_.size(); h++)
      for (int i = out_->handlers_[h].begin; i < out_->handlers_[h].end; i++)
        out_->handler_[size_t(i)] = int(h);
    return {};
  }

  // If ToBool is directly before a test, the two are one test of the object.
  void fuse_truth_tests() {
    for (size_t i = 1; i < instrs().size(); i++) {
      Instr& test = instrs()[i];
      const bool tests = test.op == Op::kPopJumpIfFalse || test.op == Op::kPopJumpIfTrue ||
                         (test.op == Op::kUnary && test.unary() == UnaryOp::kNot);
      if (tests && instrs()[i - 1].op == Op::kToBool && !(test.flags & Instr::kTarget))
        test.flags &= uint8_t(~Instr::kExit);
    }
  }

  void read_lines() {
    const std::vector<LineRange> lines = code_lines(out_->code_);
    size_t range = 0;
    int last = -1;
    for (Instr& instr : instrs()) {
      while (range + 1 < lines.size() && lines[range + 1].start <= instr.op_offset) ++range;
      instr.line = lines.empty() ? out_->code_->co_firstlineno : lines[range].line;
      if (instr.line != last && instr.is_exit()) instr.flags |= Instr::kNewLine;
      last = instr.line;
    }
  }

  void read_slots() {
    PyCodeObject* code = out_->code_;
    version::slots(code, out_->slot_kinds_, out_->slot_names_);
    for (SlotKind kind : out_->slot_kinds_) out_->free_count_ += kind == SlotKind::kFree;
    out_->parameter_count_ = code->co_argcount + code->co_kwonlyargcount +
                             bool(code->co_flags & CO_VARARGS) +
                             bool(code->co_flags & CO_VARKEYWORDS);
    while (out_->entry_ < out_->size() && ((*out_)[out_->entry_].op == Op::kMakeCell ||
                                           (*out_)[out_->entry_].op == Op::kCopyFreeVars))
      out_->entry_++;
  }

  // Propagates stack depth and block stack along every edge, exception edges included.
  Status trace_flow() {
    const size_t count = size_t(out_->size());
    out_->depth_.assign(count, -1);
    out_->block_set_.assign(count, 0);
    out_->block_sets_.push_back({});
    states_.assign(count, {});
    if (count == 0) return internal_error("[decode] empty bytecode");
    MSJIT_OK(reach(0, {}));
    while (!work_.empty()) {
      const int index = work_.back();
      work_.pop_back();
      MSJIT_OK(flow_from(index));
    }
    return {};
  }

  Status reach(int index, const State& state) {
    if (index >= out_->size()) return internal_error("[decode] control flow leaves the bytecode");
    State& known = states_[size_t(index)];
    int& depth = out_->depth_[size_t(index)];
    if (depth < 0) {
      depth = state.depth();
      known = state;
      work_.push_back(index);
      return {};
    }
    // A handler of nested `try` blocks may be reached with different numbers of running handlers:
    // the first one found is kept.
    if (depth != state.depth() || !known.same_blocks(state))
      return internal_error("[decode] stack depth or blocks, got {} and {} at {}", depth,
                            state.depth(), (*out_)[index].offset);
    if (join_items(&known.items, state.items)) work_.push_back(index);
    return {};
  }

  Status flow_from(int index) {
    const Instr& instr = (*out_)[index];
    const State before = states_[size_t(index)];
    MSJIT_OK(verify_stack(*out_, instr, before.depth()));
    MSJIT_OK(enter_handler(index, before));
    State after = before;
    MSJIT_OK(step_items(*out_, instr, &after.items));
    if (instr.op == Op::kSetupFinally || (instr.op == Op::kBeforeWith && instr.target >= 0)) {
      const int level = before.depth();
      MSJIT_OK(reach(instr.target, handling(before, level, version::kHandlerItems)));
      const auto kind = instr.op == Op::kSetupFinally ? BlockKind(instr.aux) : BlockKind::kFinally;
      after.blocks.push_back({kind, level, (*out_)[instr.target].offset, instr.target});
    }
    if (instr.op == Op::kSetupLoop)
      after.blocks.push_back(
          {BlockKind::kLoop, before.depth(), (*out_)[instr.target].offset, instr.target});
    if (instr.op == Op::kPopBlock || instr.op == Op::kPopExcept) {
      const bool there = !after.blocks.empty();
      const bool handler = there && after.blocks.back().kind == BlockKind::kHandler;
      if (kHasBlocks && (!there || handler != (instr.op == Op::kPopExcept)))
        return internal_error("[decode] {} without its block at {}", op_name(instr.op),
                              instr.offset);
      if (there) after.blocks.pop_back();
    }
    const int flags = op_flags(instr.op);
    if (flags & kOpJump) {
      State jumped = after;
      const int kept = before.depth() - pops(instr);
      jumped.items.resize(size_t(kept));
      jumped.items.resize(size_t(kept) + size_t(pushes_on_jump(instr)), StackItem::kObject);
      MSJIT_OK(reach(instr.target, jumped));
    }
    return flags & kOpEnds ? Status() : reach(index + 1, after);
  }

  // The state in which a handler begins: `level` items are kept and `items` pushed.
  static State handling(State before, int level, int items) {
    before.items.resize(size_t(level));
    before.items.resize(size_t(level) + size_t(items), StackItem::kObject);
    before.items.back() = StackItem::kException;
    before.blocks.push_back({BlockKind::kHandler, level});
    return before;
  }

  Status enter_handler(int index, const State& before) {
    const int h = out_->handler_[size_t(index)];
    if (h < 0) return {};
    const HandlerRange& range = out_->handlers_[size_t(h)];
    if (range.depth < 0 || range.depth > before.depth() ||
        range.depth + range.lasti + version::kHandlerItems > out_->stack_size())
      return internal_error("[decode] depth of a handler, got {} at {}", range.depth,
                            (*out_)[index].offset);
    return reach(range.target, handling(before, range.depth, range.lasti + version::kHandlerItems));
  }

  // Sets the block sets, the handler ranges of versions with a block stack, and the flags that
  // depend on them.
  void mark_handlers() {
    for (int i = 0; i < out_->size(); i++) {
      std::vector<Block>& blocks = states_[size_t(i)].blocks;
      const bool handling = std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
        return block.kind == BlockKind::kHandler;
      });
      Instr& instr = instrs()[size_t(i)];
      if (handling) {
        instr.flags = uint8_t((instr.flags & ~Instr::kExit) | Instr::kInHandler);
      } else if (out_->depth_[size_t(i)] < 0) {
        instr.flags &= uint8_t(~Instr::kExit);
      }
      add_block_handler(i, blocks);
      if (!handling) out_->block_set_[size_t(i)] = intern_blocks(std::move(blocks));
    }
  }

  void add_block_handler(int index, const std::vector<Block>& blocks) {
    if (out_->handler_[size_t(index)] >= 0) return;
    for (size_t b = blocks.size(); b-- > 0;) {
      if (blocks[b].kind == BlockKind::kHandler || blocks[b].kind == BlockKind::kLoop) continue;
      const int target = blocks[b].handler;
      auto& ranges = out_->handlers_;
      if (ranges.empty() || ranges.back().end != index || ranges.back().target != target)
        ranges.push_back({index, index, target, blocks[b].level, false});
      ranges.back().end = index + 1;
      out_->handler_[size_t(index)] = int(ranges.size()) - 1;
      return;
    }
  }

  int intern_blocks(std::vector<Block> blocks) {
    auto& sets = out_->block_sets_;
    for (size_t s = sets.size(); s-- > 0;)
      if (sets[s] == blocks) return int(s);
    sets.push_back(std::move(blocks));
    return int(sets.size()) - 1;
  }

  std::unique_ptr<DecodedCode> out_;
  std::vector<State> states_;
  std::vector<int> work_;
};

std::span<const Block> DecodedCode::blocks(int index) const {
  return block_sets_[size_t(block_set_[size_t(index)])];
}

const HandlerRange* DecodedCode::handler(int index) const {
  const int h = handler_[size_t(index)];
  return h < 0 ? nullptr : &handlers_[size_t(h)];
}

Borrowed DecodedCode::slot_name(int slot) const { return slot_names_[size_t(slot)]; }

int DecodedCode::captured_parameter(int slot) const {
  if (slot < parameter_count_) return slot;
  for (int p = 0; p < parameter_count_; ++p)  // up to 3.10 the cell is a separate slot
    if (PyUnicode_Compare(slot_name(p).get(), slot_name(slot).get()) == 0) return p;
  return -1;
}

bool DecodedCode::is_generator() const {
  return code_->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR);
}

namespace {

Py_ssize_t extra_index() {
  static const Py_ssize_t index =
      compat::request_code_extra([](void* extra) { delete static_cast<DecodedCode*>(extra); });
  return index;
}

}  // namespace

bool reserve_decoded() { return extra_index() >= 0; }

Result<const DecodedCode*> decode(PyCodeObject* code) {
  const Py_ssize_t index = extra_index();
  if (index < 0)
    return runtime_error(
        "[decode] index for data on code objects, got none from CPython, expected a free one");
  PyObject* object = (PyObject*)code;
  if (void* extra = compat::code_extra(object, index))
    return static_cast<const DecodedCode*>(extra);
  MSJIT_TRY(auto decoded, Decoder(code).run());
  if (!compat::set_code_extra(object, index, decoded.get())) {
    PyErr_Clear();
    return memory_error("[decode] no memory for the decoded bytecode");
  }
  return static_cast<const DecodedCode*>(decoded.release());
}

}  // namespace msjit
