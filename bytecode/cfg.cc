#include "bytecode/cfg.h"

#include <fmt/format.h>

#include <algorithm>

namespace msjit {
namespace {

// Nearest common ancestor in a (post-)dominator tree given by immediate dominators and a numbering
// in which every node has a larger number than its dominator.
int common_ancestor(const std::vector<int>& parent, const std::vector<int>& number, int a, int b) {
  while (a != b) {
    while (number[size_t(a)] > number[size_t(b)]) a = parent[size_t(a)];
    while (number[size_t(b)] > number[size_t(a)]) b = parent[size_t(b)];
  }
  return a;
}

// The blocks in reverse postorder of the reversed graph. Its root is a virtual exit behind all
// blocks; `leaves` marks the blocks that have an edge to it.
class ReversedOrder {
 public:
  explicit ReversedOrder(const std::vector<BasicBlock>& blocks)
      : blocks_(blocks), met_(blocks.size()) {
    leaves.resize(blocks.size());
    const int exit = int(blocks.size());
    for (int b = 0; b < exit; b++)
      if (blocks[size_t(b)].successors.empty()) visit(b);
    // Blocks that never reach an exit (endless loops) are connected to the virtual one.
    for (int b = exit; b-- > 0;) visit(b);
    std::reverse(order.begin(), order.end());
  }

  std::vector<int> order;
  std::vector<bool> leaves;

 private:
  void visit(int root) {
    if (met_[size_t(root)]) return;
    leaves[size_t(root)] = met_[size_t(root)] = true;
    std::vector<std::pair<int, size_t>> stack = {{root, 0}};
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      const auto& predecessors = blocks_[size_t(block)].predecessors;
      if (next == predecessors.size()) {
        order.push_back(block);
        stack.pop_back();
        continue;
      }
      const int predecessor = predecessors[next++];
      if (met_[size_t(predecessor)]) continue;
      met_[size_t(predecessor)] = true;
      stack.emplace_back(predecessor, 0);
    }
  }

  const std::vector<BasicBlock>& blocks_;
  std::vector<bool> met_;
};

}  // namespace

Cfg::Cfg(const DecodedCode& code) : code_(code) {
  split();
  connect();
  find_post_dominators();
  find_loops();
}

void Cfg::split() {
  block_of_.assign(size_t(code_.size()), -1);
  bool open = false;
  for (int i = 0; i < code_.size(); i++) {
    const Instr& instr = code_[i];
    if (code_.depth(i) < 0 || (instr.flags & Instr::kInHandler)) {
      open = false;
      continue;
    }
    if (!open || (instr.flags & Instr::kTarget)) {
      blocks_.emplace_back();
      blocks_.back().begin = i;
    }
    blocks_.back().end = i + 1;
    block_of_[size_t(i)] = int(blocks_.size()) - 1;
    open = !(op_flags(instr.op) & (kOpJump | kOpEnds));
  }
}

void Cfg::connect() {
  const auto link = [this](int from, int instr) {
    const int to = instr < code_.size() ? block_of_[size_t(instr)] : -1;
    if (to < 0) return;
    blocks_[size_t(from)].successors.push_back(to);
    blocks_[size_t(to)].predecessors.push_back(from);
  };
  for (int b = 0; b < int(blocks_.size()); b++) {
    const Instr& last = code_[blocks_[size_t(b)].end - 1];
    const int flags = op_flags(last.op);
    if (!(flags & kOpEnds)) link(b, blocks_[size_t(b)].end);
    if (flags & kOpJump) link(b, last.target);
  }
}

// Cooper, Harvey and Kennedy's iteration on the reversed graph.
void Cfg::find_post_dominators() {
  const int exit = int(blocks_.size());
  const ReversedOrder reversed(blocks_);
  std::vector<int> number(size_t(exit) + 1), parent(size_t(exit) + 1, -1);
  for (size_t k = 0; k < reversed.order.size(); k++) number[size_t(reversed.order[k])] = int(k) + 1;
  parent[size_t(exit)] = exit;
  for (bool changed = true; changed;) {
    changed = false;
    for (int block : reversed.order) {
      int best = reversed.leaves[size_t(block)] ? exit : -1;
      for (int next : blocks_[size_t(block)].successors)
        if (parent[size_t(next)] >= 0)
          best = best < 0 ? next : common_ancestor(parent, number, best, next);
      if (best < 0) continue;
      if (parent[size_t(block)] != best) parent[size_t(block)] = best, changed = true;
    }
  }
  for (int b = 0; b < exit; b++)
    blocks_[size_t(b)].post_dominator = parent[size_t(b)] == exit ? -1 : parent[size_t(b)];
}

// Natural loops of back edges. A back edge goes to a block that is not later in the bytecode:
// CPython's compiler puts the header of a loop first and makes no irreducible graphs.
void Cfg::find_loops() {
  loops_.resize(blocks_.size());
  for (int header = 0; header < int(blocks_.size()); header++) {
    std::vector<int> work;
    for (int pred : blocks_[size_t(header)].predecessors)
      if (pred >= header) work.push_back(pred);
    if (work.empty()) continue;
    blocks_[size_t(header)].is_loop_header = true;
    std::vector<bool> inside(blocks_.size());
    inside[size_t(header)] = true;
    blocks_[size_t(header)].loop_header = header;
    while (!work.empty()) {
      const int block = work.back();
      work.pop_back();
      if (inside[size_t(block)] || block < header) continue;
      inside[size_t(block)] = true;
      blocks_[size_t(block)].loop_header = header;  // inner headers come later and overwrite
      for (int pred : blocks_[size_t(block)].predecessors) work.push_back(pred);
    }
    loops_[size_t(header)] = std::move(inside);
  }
}

bool Cfg::in_loop(int header, int instr) const {
  const int block = instr < 0 ? -1 : block_of(instr);
  return block >= 0 && loops_[size_t(block_of(header))][size_t(block)];
}

int Cfg::loop_left_at(int instr) const {
  const int block = block_of(instr), join = join_of(instr);
  if (block < 0) return -1;
  for (int b = block; b >= 0; --b) {  // headers come before their loops, inner ones later
    if (loops_[size_t(b)].empty() || !loops_[size_t(b)][size_t(block)]) continue;
    const int header = blocks_[size_t(b)].begin;
    if (code_[header].op == Op::kForIter) continue;
    return in_loop(header, join) ? -1 : header;
  }
  return -1;
}

int Cfg::loop_exit(int header) const {
  int block = block_of(header);
  while (block >= 0 && loops_[size_t(block_of(header))][size_t(block)])
    block = blocks_[size_t(block)].post_dominator;
  return block < 0 ? -1 : blocks_[size_t(block)].begin;
}

int Cfg::join_of(int instr) const {
  const int block = block_of(instr);
  const int join = block < 0 ? -1 : blocks_[size_t(block)].post_dominator;
  return join < 0 ? -1 : blocks_[size_t(join)].begin;
}

bool Cfg::is_loop_header(int instr) const {
  const int block = block_of(instr);
  return block >= 0 && blocks_[size_t(block)].begin == instr &&
         blocks_[size_t(block)].is_loop_header;
}

std::string Cfg::dump() const {
  std::string out;
  for (size_t b = 0; b < blocks_.size(); b++) {
    const BasicBlock& block = blocks_[b];
    out += fmt::format("B{} [{},{}) ->", b, block.begin, block.end);
    for (int next : block.successors) out += fmt::format(" B{}", next);
    if (block.post_dominator >= 0) out += fmt::format(" join B{}", block.post_dominator);
    if (block.loop_header >= 0) out += fmt::format(" loop B{}", block.loop_header);
    out += "\n";
    for (int i = block.begin; i < block.end; i++)
      out += fmt::format("  {:4} {}\n", i, instr_text(code_, i));
  }
  return out;
}

}  // namespace msjit
