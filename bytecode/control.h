// Branches and loops on the value of a tensor. A truth test on a tensor forks the frame: both
// targets are run, each on a frame of its own, to where they meet again (the branch's
// post-dominator, or the return), and their slots are joined one by one; what differs becomes an
// output of an If node. A loop left by such a test becomes a While node: its body is run once, with
// placeholders for the tensors it assigns. Invariant: nothing but slots and stack may differ behind
// an arm; whoever finds anything else fails, and the capture starts again without the construct.
#pragma once

#include <map>
#include <memory>

#include "bytecode/cfg.h"
#include "bytecode/exec.h"

namespace msjit {

// A for loop that may be one node.
struct ScanPlan {
  bool wanted = false;  // its turns are too many to unroll
  bool refused = false;
  int peel = 0;  // arrivals that are unrolled first
};

// What the repeated runs of one capture know of its loops and codes.
class ControlPlan {
 public:
  struct Loop {
    int peel = 0;  // arrivals at the header that are unrolled first
    bool refused = false;
    std::string why;
  };
  using Key = std::pair<const DecodedCode*, int>;  // header instruction

  const Cfg& cfg(const DecodedCode& code);
  // Whether a local may still be read; all may where the code can ask for its locals.
  bool live(const DecodedCode& code, int instr, int slot);
  std::map<Key, Loop> loops;  // those that tests on tensors leave
  std::map<Key, ScanPlan> scans;
  std::vector<int> long_loops;  // of the outermost frame: headers where a region ends
  bool restart = false;         // the last run failed because one of these had to change

 private:
  struct Facts {
    std::unique_ptr<Cfg> cfg;
    std::unique_ptr<Liveness> liveness;
    bool reads_locals = false;
  };
  std::map<const DecodedCode*, Facts> facts_;
};

// A copy of a frame that can be run without changing it.
SymFrame fork_frame(SymFrame& frame);

// Where one outcome of a truth test goes.
struct BranchPath {
  int pc;
  bool pops;  // the tested value leaves the stack
};

// The state outside of an arm, to find out whether the arm changed any of it.
class HeapMark {
 public:
  HeapMark(const Heap& heap, const SymFrame& frame);
  // "a list", empty when nothing changed. Lists of the region to which one item has been appended
  // go to `grown`.
  std::string change(const Heap& heap, std::vector<SymRef>* grown = nullptr) const;

 private:
  struct Seen {
    SymRef value;
    SymKind kind;
    bool changed;
    size_t num_written;
    std::vector<const SymValue*> parts;  // items, entries, iterator children
    std::vector<std::pair<std::string, const SymValue*>> attributes;
    int64_t position;
  };
  static Seen see(const SymRef& value);
  void add(const SymRef& value);
  size_t num_effects_, num_arm_changes_;
  std::vector<Seen> seen_;
  std::unordered_map<const SymValue*, bool> met_;
};

// Joins the values of two arms; the tensors among them become outputs of one If.
class Joiner {
 public:
  // Values with a serial below `mark` existed before the arms; nodes from `first_node` on are
  // theirs, and so are the traced steps from `first_step` on.
  Joiner(Executor& x, uint64_t mark, int32_t first_node, int32_t first_step)
      : x_(x), mark_(mark), first_node_(first_node), first_step_(first_step) {}

  // The value behind the arms that is `a` after the first and `b` after the second; `needs_*`: it
  // may be read there. Null when there is none, with `why`.
  SymRef join(const SymRef& a, bool needs_a, const SymRef& b, bool needs_b);
  // The same for a value of arm `side` that nobody reads behind the other one.
  SymRef one_sided(int side, const SymRef& value);
  // A graph value for a tensor that leaves arm `side`: a tensor made there has a value of its own,
  // one from outside is handed on. -1 when it cannot be told which it is.
  ValueId leaving(int side, const SymRef& tensor);
  // Tensors from before the arms that an arm has renewed: they are joined as such alone.
  void note_written(const SymRef& tensor) { written_.insert(tensor.get()); }
  SymRef join_written(const SymRef& a, const SymRef& b);
  // An output of the If, given one graph value of either arm.
  SymRef pair(ValueId a, ValueId b);
  Status finish(const Val& predicate);
  SymRef filler(const Val& like);  // a tensor nobody reads
  bool existed(const SymRef& value) const;
  // The same value, an equal constant, or an iterator that stands where the other stands.
  static bool same(const SymRef& a, const SymRef& b);
  std::string why;

 private:
  SymRef join_tensors(const SymRef& a, const SymRef& b);
  SymRef join_parts(const SymRef& a, bool needs_a, const SymRef& b, bool needs_b);
  Val number(const SymRef& value);
  SymRef join_numbers(const SymRef& a, const SymRef& b);
  SymRef one_sided_number(int side, const SymRef& value);
  static SymRef as_number(SymRef value, PyTypeObject* type);

  Executor& x_;
  const uint64_t mark_;
  const int32_t first_node_, first_step_;
  std::map<std::pair<const SymValue*, const SymValue*>, SymRef> joined_;
  std::map<ValueId, const SymValue*> claimed_[2];
  std::vector<SymRef> outputs_;
  std::vector<ValueId> values_[2];
  std::vector<SymRef> keep_;
  std::unordered_set<const SymValue*> written_;
  bool joining_written_ = false;
};

}  // namespace msjit
