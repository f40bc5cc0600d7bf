// Branches and loops on the value of a tensor. A truth test on a tensor forks the frame. Both
// targets are run, each on a frame of its own, until they meet again (at the branch's
// post-dominator or the return). Their slots are joined one by one, and values that differ become
// outputs of an If node. A loop that such a test leaves becomes a While node: its body is run once,
// with placeholders for the tensors that it assigns.
// Invariant: only the slots, the stack and the changes of arm_changes.h may differ behind an arm.
// Where anything else differs, the capture fails and starts again without the construct.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <variant>

#include "bytecode/cfg.h"
#include "bytecode/exec.h"

namespace msjit {

// An item or attribute of a value that is found from a local: the way there, by numbers of items
// (of a dict: of its entries) and names of attributes.
struct LoopPlace {
  int slot;
  std::vector<std::variant<int, std::string>> way;
  friend auto operator<=>(const LoopPlace&, const LoopPlace&) = default;
};

// What repeated runs have found out about the body of a loop.
struct LoopFacts {
  std::set<int> written;            // local slots that hold tensors to which it writes
  std::set<LoopPlace> stored;       // items and attributes that it replaces
  std::set<int> numbers;            // local slots of other numbers that differ between turns
  std::map<int, int64_t> counters;  // local slots of ints that each turn adds this step to; 0: no
};

// What is known of a loop that may become one node: a for loop, or a while loop over a counter.
struct ScanPlan {
  bool wanted = false;   // it is too large to unroll
  bool refused = false;  // it has to be unrolled
  int peel = 0;          // arrivals that are unrolled first
  LoopFacts facts;
  int loop = -1, compare = -1;  // of a while loop: its header, and the comparison that ends it
};

// What one capture's repeated runs have found out about loops. A run that learns something fails
// with `restart`, and the next run uses it.
class ControlPlan {
 public:
  struct Loop {
    int peel = 0;  // arrivals at the header that are unrolled first
    bool refused = false;
    LoopFacts facts;
    std::string why;
  };
  using Key = std::pair<const DecodedCode*, int>;  // header instruction

  const Cfg& cfg(const DecodedCode& code);
  // Whether a local may still be read. All may be in code that can ask for its locals (locals(),
  // eval, ...).
  bool live(const DecodedCode& code, int instr, int slot);
  std::map<Key, Loop> loops;      // loops that tests on tensors leave
  std::map<Key, ScanPlan> scans;  // while loops: by the instruction where the test begins
  bool counted = false;           // whether there are while loops among them
  std::vector<int> long_loops;    // of the outermost frame: headers where a region ends
  bool restart = false;           // the last run failed only to change one of these

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

// HeapMark: the state of all values before an arm, to find out whether the arm changed any of it.
class HeapMark {
 public:
  HeapMark(const Heap& heap, const SymFrame& frame);
  struct Allowed {
    std::vector<SymRef> grown;  // lists made in the region that have got one more item
    // Items of lists, values of entries of dicts, contents of cells.
    std::vector<std::pair<SymRef, int>> replaced;
    bool met_first = false;  // what has changed, or its name, was not known before
  };
  // What has changed, as "a list"; empty when nothing has. Some changes go to `allowed` instead,
  // if it is given.
  std::string change(const Heap& heap, Allowed* allowed = nullptr) const;

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
  static bool replaced_items(const Seen& before, const Seen& now,
                             std::vector<std::pair<SymRef, int>>* out);
  // Whether a value has only been looked at: for the first time, or an open int that is constant
  // now.
  static bool is_first_look(const Seen& before, const Seen& now) {
    return before.kind == SymKind::kLazy ||
           (before.kind == SymKind::kSize && now.kind == SymKind::kConst);
  }
  static bool is_unchanged(const Seen& before, const Seen& now);
  // Whether a list made in the region has got one more item and is otherwise as it was.
  static bool has_one_more_item(const Seen& before, const Seen& now);
  void add(const SymRef& value);
  size_t num_effects_, num_arm_changes_;
  std::vector<Seen> seen_;
  std::unordered_map<const SymValue*, bool> met_;
};

// Joiner: joins the values of two arms. Tensors among them become outputs of one If.
class Joiner {
 public:
  // Values with a serial below `mark` existed before the arms. Nodes from `first_node` on, and
  // traced steps from `first_step` on, belong to the arms.
  Joiner(Executor& x, uint64_t mark, int32_t first_node, int32_t first_step)
      : x_(x), mark_(mark), first_node_(first_node), first_step_(first_step) {}

  // The value behind the arms that is `a` after the first and `b` after the second. `needs_*`: it
  // may be read behind that arm. Null with `why` when there is none.
  SymRef join(const SymRef& a, bool needs_a, const SymRef& b, bool needs_b);
  // The same for a value of arm `side`, when nothing reads it behind the other arm.
  SymRef one_sided(int side, const SymRef& value);
  // The graph value by which a tensor leaves arm `side`. A tensor made in the arm has its own
  // value; one from outside is handed on. -1 with `why` when two tensors could not be told apart.
  ValueId leaving(int side, const SymRef& tensor);
  // Notes a tensor from before the arms to which an arm writes. join() refuses it; join_written()
  // joins its contents.
  void note_written(const SymRef& tensor) { written_.insert(tensor.get()); }
  SymRef join_written(const SymRef& a, const SymRef& b);
  // Nodes of arm `side` that must run even if nothing reads them.
  void note_checking(int side, std::vector<int32_t> nodes) { checking_[side] = std::move(nodes); }
  // An output of the If, from one graph value of each arm.
  SymRef pair(ValueId a, ValueId b);
  Status finish(const Val& predicate);
  SymRef filler(const Val& like);  // a tensor for the arm behind which nobody reads it
  bool existed(const SymRef& value) const;
  // One value, equal constants, or iterators in equal states.
  static bool same(const SymRef& a, const SymRef& b);
  std::string why;

 private:
  SymRef join_tensors(const SymRef& a, const SymRef& b);
  SymRef join_parts(const SymRef& a, bool needs_a, const SymRef& b, bool needs_b);
  Val number(const SymRef& value);
  SymRef join_numbers(const SymRef& a, const SymRef& b);
  SymRef one_sided_number(int side, const SymRef& value);
  static SymRef as_number(SymRef value, PyTypeObject* type);
  bool add_checks(int side);
  bool is_written_shown() const;

  Executor& x_;
  const uint64_t mark_;
  const int32_t first_node_, first_step_;
  std::map<std::pair<const SymValue*, const SymValue*>, SymRef> joined_;
  std::map<ValueId, const SymValue*> claimed_[2];
  std::vector<SymRef> outputs_;
  std::vector<size_t> written_outputs_;  // those of tensors to which an arm writes
  std::vector<ValueId> values_[2];
  std::vector<SymRef> keep_;
  std::unordered_set<const SymValue*> written_;
  std::vector<int32_t> checking_[2];
  bool joining_written_ = false;
};

}  // namespace msjit
