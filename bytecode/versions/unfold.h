// Unfolder: decoding up to 3.8. There the body of a `finally` (and the end of a `with`) exists once
// in the bytecode, whichever way it is entered. END_FINALLY goes on depending on what is on the
// stack: a NULL or None, an address, a reason, an exception. The Unfolder follows the bytecode from
// its start and emits an instruction once for each block stack and way of entering. So stack depth,
// blocks and the end of a `finally` are static in the canonical code. On a live frame handler
// bodies never run natively.
#pragma once

#include <map>
#include <queue>
#include <set>
#include <span>
#include <vector>

#include "bytecode/versions/version.h"

namespace msjit::version {

class Unfolder {
 public:
  // How a `finally` body was entered, which determines how it is left.
  enum class Way { kNormal, kException, kReturnTo, kReturn, kBreak, kContinue };

  // The static state before an instruction. A mark says that stack item `slot` is the one
  // END_FINALLY will read; `where` is the offset to which kReturnTo and kContinue go.
  struct Mark {
    int slot;
    Way way;
    int where;
  };
  struct Context {
    int depth = 0;
    std::vector<Block> blocks;
    std::vector<Mark> marks;
  };

  // What a version knows of its own bytecode.
  struct Rows {
    // Emits instructions that depend on the context; false: version::emit handles the instruction.
    bool (*emit)(const RawInstr& raw, Unfolder& u);
    // Offset of the `finally` body that the instruction sets up, or -1.
    int (*handler)(const RawInstr& raw);
  };

  Unfolder(PyCodeObject* code, std::span<const RawInstr> raws, const Rows& rows);
  Result<std::vector<Instr>> run();

  // --- for Rows::emit: each call emits one canonical instruction and follows its effect ---
  const Context& now() const { return now_; }
  void add(Op op, int arg = 0, int aux = 0, CallForm form = CallForm::kPlain);
  void jump(Op op, int target_offset);
  // SetupFinally, BeforeWith and SetupLoop, which push a block.
  void setup(Op op, BlockKind kind, int target_offset);
  // The top item is the one END_FINALLY will read.
  void mark(Way way, int where = 0) { now_.marks.push_back({now_.depth - 1, way, where}); }
  // The mark `from_top` items below the top (1 = top); null when there is none.
  const Mark* mark_at(int from_top) const;
  // Whether a handler or `finally` body begins here.
  bool is_handler(int offset) const { return handlers_.count(offset) != 0; }

  // Instructions that are alike on 3.7 and 3.8.
  void with_cleanup_start();
  void with_cleanup_finish(const RawInstr& raw);
  void bad(const RawInstr& raw);  // the bytecode is not as CPython's compiler makes it

 private:
  struct Place {
    int offset;
    Context context;
    int index = -1;  // in the output, once emitted
  };

  int place(int offset, const Context& context);
  Status follow(int id);
  Status expand(const RawInstr& raw);
  void link();
  void apply(Instr& instr);
  const RawInstr* raw_at(int offset) const;

  std::span<const RawInstr> raws_;
  const Rows rows_;
  std::map<int, int> raw_index_;
  std::set<int> handlers_;
  Emitter out_;
  Context now_;
  bool ended_ = false;
  Status failure_;
  std::vector<Place> places_;
  std::map<std::vector<int>, int> place_ids_;
  // Ordered by offset, so that the output keeps the order of the bytecode and loops begin with
  // their header.
  std::priority_queue<std::pair<int, int>, std::vector<std::pair<int, int>>, std::greater<>> work_;
};

}  // namespace msjit::version
