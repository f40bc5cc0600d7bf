// A code object decoded to canonical instructions, with the static facts of each of them: stack
// depth, block stack (up to 3.10), exception handler. It is decoded once and kept with the code
// object. All indices are positions in the instruction list.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bytecode/instr.h"
#include "guards/py/ref.h"
#include "kernels/core/result.h"

namespace msjit {

// An entry of the frame's block stack (up to 3.10; empty later). A running handler has an entry
// here too, which is never written into a frame.
struct Block {
  BlockKind kind = BlockKind::kFinally;
  int32_t level = 0;           // stack depth to unwind to
  int32_t handler_offset = 0;  // bytes
  int32_t handler = -1;        // canonical index
  friend bool operator==(const Block& a, const Block& b) {
    return a.kind == b.kind && a.level == b.level && a.handler_offset == b.handler_offset;
  }
};

// An exception raised by instructions [begin, end) goes to `target` with `depth` items left.
struct HandlerRange {
  int32_t begin = 0, end = 0;
  int32_t target = 0;
  int32_t depth = 0;
  bool lasti = false;  // the handler also expects the raising offset on the stack
};

enum class SlotKind : uint8_t { kLocal, kCell, kFree };

class DecodedCode {
 public:
  PyCodeObject* code() const { return code_; }

  int size() const { return int(instrs_.size()); }
  const Instr& operator[](int index) const { return instrs_[size_t(index)]; }
  std::span<const Instr> instrs() const { return instrs_; }
  // Index of the first instruction at a byte offset; -1 when none starts there. Up to 3.8 the body
  // of a `finally` is decoded once for each way of entering it, and the index is in any one of
  // these copies.
  int index_at(int offset) const {
    return offset < 0 || size_t(offset / 2) >= index_at_.size() ? -1
                                                                : index_at_[size_t(offset / 2)];
  }
  // The first instruction after FrameView::prologue.
  int entry() const { return entry_; }
  // Byte offset of an instruction that returns the top of the stack; -1 when there is none.
  int return_offset() const { return return_offset_; }
  // Stack depth before the instruction; -1 when it cannot be reached.
  int depth(int index) const { return depth_[size_t(index)]; }
  std::span<const Block> blocks(int index) const;
  // The innermost handler of an exception raised at the instruction, or null.
  const HandlerRange* handler(int index) const;
  std::span<const HandlerRange> handlers() const { return handlers_; }

  // Slots: parameters first, then other locals, cells, free variables. From 3.11 on a parameter
  // captured by an inner function is one kCell slot. Up to 3.10 it is a kLocal slot, which the
  // prologue empties, and a kCell slot.
  int slot_count() const { return int(slot_kinds_.size()); }
  SlotKind slot_kind(int slot) const { return slot_kinds_[size_t(slot)]; }
  Borrowed slot_name(int slot) const;
  // For a kCell slot: the slot of the parameter whose value its cell holds at the start; -1 when
  // the cell is empty then.
  int captured_parameter(int slot) const;
  int free_count() const { return free_count_; }
  int stack_size() const { return code_->co_stacksize; }
  int parameter_count() const { return parameter_count_; }  // *args and **kwargs included

  Borrowed name(int index) const { return Borrowed(PyTuple_GET_ITEM(code_->co_names, index)); }
  int name_count() const { return int(PyTuple_GET_SIZE(code_->co_names)); }
  Borrowed constant(int index) const { return Borrowed(PyTuple_GET_ITEM(code_->co_consts, index)); }
  int constant_count() const { return int(PyTuple_GET_SIZE(code_->co_consts)); }
  // Generators, coroutines and asynchronous generators. Their frames never run natively.
  bool is_generator() const;
  // Whether the stack depths are known. They may be unknown only for a generator whose code no
  // compiler made.
  bool flows() const { return flows_; }

 private:
  friend class Decoder;
  PyCodeObject* code_ = nullptr;  // owns this object
  std::vector<Instr> instrs_;
  std::vector<int32_t> index_at_;  // by code unit
  std::vector<int32_t> depth_;
  std::vector<std::vector<Block>> block_sets_;
  std::vector<int32_t> block_set_;  // by instruction
  std::vector<HandlerRange> handlers_;
  std::vector<int32_t> handler_;  // by instruction
  std::vector<SlotKind> slot_kinds_;
  std::vector<Ref> slot_names_;
  bool flows_ = false;
  int entry_ = 0;
  int return_offset_ = -1;
  int free_count_ = 0;
  int parameter_count_ = 0;
};

// Reserves a place for decoded code in code objects (co_extra); false when there is none. Called
// early, because a place costs the memory of all places with lower numbers.
bool reserve_decoded();
// The decoded form of `code`, made on first use and freed with the code object.
Result<const DecodedCode*> decode(PyCodeObject* code);

// `  12  L3  LoadFast 0 (x)` lines, jumps as indices, for tests and dumps.
std::string dump_bytecode(PyCodeObject* code);
std::string instr_text(const DecodedCode& code, int index);

}  // namespace msjit
