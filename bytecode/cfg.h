// Control-flow graph over canonical instructions: basic blocks, edges, post-dominators, loops, and
// live slots. Exception edges are not part of it, because a handler is entered by unwinding. Built
// on demand from a DecodedCode, immutable afterwards.
#pragma once

#include <string>
#include <vector>

#include "bytecode/decode.h"

namespace msjit {

struct BasicBlock {
  int begin = 0, end = 0;       // instruction indices, end exclusive
  std::vector<int> successors;  // fall-through first, then the jump target
  std::vector<int> predecessors;
  int post_dominator = -1;  // immediate; -1 = the virtual exit
  int loop_header = -1;     // header of the innermost loop holding this block; -1 outside loops
  bool is_loop_header = false;
};

class Cfg {
 public:
  explicit Cfg(const DecodedCode& code);

  const DecodedCode& code() const { return code_; }
  // In instruction order. Unreachable code and exception handlers are left out.
  const std::vector<BasicBlock>& blocks() const { return blocks_; }
  int block_of(int instr) const { return block_of_[size_t(instr)]; }  // -1 when left out
  // The first instruction where both outcomes of the jump at `instr` meet again; -1 when they never
  // do.
  int join_of(int instr) const;
  bool is_loop_header(int instr) const;
  // The header of the innermost loop around `instr` that is no for loop and that the jump at
  // `instr` can leave: join_of(instr) is outside of it. -1 when there is none.
  int loop_left_at(int instr) const;
  bool in_loop(int header, int instr) const;  // both instructions
  // The instruction where all ways out of a loop meet; -1 when they return.
  int loop_exit(int header) const;
  std::string dump() const;

 private:
  void split();
  void connect();
  void find_post_dominators();
  void find_loops();

  const DecodedCode& code_;
  std::vector<BasicBlock> blocks_;
  std::vector<int> block_of_;
  std::vector<std::vector<bool>> loops_;  // blocks of the loop with this header; empty elsewhere
};

// Liveness: the local slots whose value may still be read at each instruction (liveness.cc). Cells
// and free variables always count as live, because other frames see them. A slot that a handler
// covering the instruction reads counts as live too.
class Liveness {
 public:
  explicit Liveness(const DecodedCode& code);
  bool live_before(int instr, int slot) const {
    const size_t bit = size_t(instr) * size_t(slots_) + size_t(slot);
    return bits_[bit >> 6] >> (bit & 63) & 1;
  }

 private:
  int slots_ = 0;
  std::vector<uint64_t> bits_;
};

}  // namespace msjit
