// The graph pool. An entry is a compiled region with its guards. The pool keeps entries per code
// object and instruction, the most recently used first, and has a byte budget over all of them. A
// CodeState hangs on its code object (co_extra) and dies with it. An entry leaves the pool
// - when its code object, or an object it names, dies;
// - when its place or the whole pool is full and it is the least recently used;
// - on reset.
// An entry that is running is only put aside (the graveyard) until no region runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "guards/call_trial.h"
#include "guards/guard_set.h"
#include "guards/open_sizes.h"
#include "guards/pin.h"

namespace msjit {

struct EntryPoint;

struct EntryBase : std::enable_shared_from_this<EntryBase> {
  GuardSet guards;
  int64_t hits = 0;
  int64_t last_used = 0;        // on the pool's clock
  EntryPoint* point = nullptr;  // where the pool has it; null once it has left the pool
  std::vector<std::shared_ptr<Watched>> watched;  // the objects whose death evicts it
  bool returns = false;                           // runs to the end of the function
  std::unique_ptr<OpenSizes> open;                // null: every size is constant
  virtual ~EntryBase();
  // For an entry with open sizes, after its guards have held: whether it serves the sizes of this
  // call. Gives -1, or a step number that says what failed (kRelationStep, kPrepareStep).
  int bind(PyObject* const* registers);
  std::string describe_step(int step) const;  // of check() or bind()
  std::string step_path(int step) const;      // the source that this step looks at
  std::vector<std::string> describe_guards() const;
  virtual int64_t bytes() const = 0;      // graph, code, constants and guards
  virtual double compile_ms() const = 0;  // so far
  virtual void release_memory() {}        // kept between runs; called when another entry is used
  // Whether the entry has code for sizes that satisfy its relations. kRefused: it cannot have any;
  // kLater: code is being made, and the interpreter serves this call.
  enum class Ready : uint8_t { kYes, kRefused, kLater };

 protected:
  // Makes code for these sizes. Where that is refused, `error` says why.
  virtual Ready prepare(const int64_t*) { return Ready::kYes; }
  bool is_bound = true;  // whether there is code for the sizes of the last bind()
  std::string error;
  std::vector<int64_t> bound;  // the sizes that the code is for
};
inline constexpr int kRelationStep = 1 << 24;  // bind() gives this + the failed relation
inline constexpr int kPrepareStep = 1 << 25;   // or this, where prepare() refused

// How often one dimension, int, float or length of a list differed between calls.
struct SizeHistory {
  std::string source;
  int dim;  // -1: an int; kFloatDim: a float; kLengthDim: a list
  int misses = 0;
  bool closed = false;    // a capture needed it as a constant: it is not opened again
  bool distinct = false;  // it equalled another size by chance: it gets a symbol of its own
};

// A place in a function where regions may start.
struct EntryPoint {
  std::vector<std::shared_ptr<EntryBase>> entries;
  int captures = 0;       // attempts, counted for max_entries_per_pc
  bool cold = false;      // nothing worth capturing starts here
  int skip_to = -1;       // cold: the instruction where the useless region ended
  int64_t retry_at = 0;   // cold: the function's call at which it is looked at again; 0 = never
  bool recorded = false;  // cold: only while gradients are asked for
  bool judged = false;    // cold: also for level STRICT, where nothing was outside the language
  int line = 0;

  // The first entry whose guards hold, moved to the front; null when none does. `registers` needs
  // room for every entry's registers (register_count).
  const std::shared_ptr<EntryBase>* find(const Slots& slots, PyObject** registers);
  int register_count = 0;          // the largest of the entries'
  int last_failure = -1;           // the step that failed in the most recent entry, if all missed
  int64_t hits = 0;                // of entries that are gone
  bool returns = false;            // some entry runs to the end of the function
  std::string last_guard;          // the guard that failed before the latest capture
  std::vector<SizeHistory> sizes;  // numbers here that have changed between calls
  int refused_sizes = 0;           // how often an entry with open sizes could not serve a call
  // Puts an entry first. Evicts the entries that the pool has no room for.
  void add(std::shared_ptr<EntryBase> entry);
  ~EntryPoint();
};

struct BreakRecord {
  int line;
  const char* reason;
  std::string detail;
  int64_t count;
};
struct RecompileRecord {
  std::string guard;   // that failed
  std::string source;  // what it looks at
  std::string now;     // the sizes that had changed the last time; empty when it was something else
  int64_t count;
};

// All that is known of a code object that the JIT has met.
struct CodeState {
  PyCodeObject* code = nullptr;                // owns this state
  std::unordered_map<int, EntryPoint> points;  // by canonical index; ~index: see point()
  EntryPoint* start = nullptr;  // the point at the function's first instruction; stable address
  int64_t calls = 0;
  int64_t captured_calls = 0;  // calls in which some region ran
  bool inert = false;          // touches no tensor: left to the interpreter for good
  int64_t retry_at = 0;        // inert: the call at which it is looked at again; 0 = never
  size_t text = 0;             // hash, equal for codes compiled from one text; 0 = not computed yet
  bool in_language = false;    // its source is known to be in PSJit's strict language
  CallTrial trial;             // of calls that run in several regions
  std::string name, file;
  int line = 0;
  std::vector<int> long_loops;  // loop headers: too long to unroll, entered turn by turn
  std::vector<BreakRecord> breaks;
  std::vector<RecompileRecord> recompiles;

  // Some regions at `index` would run code of the program at their exit (a finalizer). The point at
  // ~index holds the shorter regions that run instead.
  EntryPoint& point(int index);
  // Counts a call of an inert function; false when it is to be looked at again.
  bool stays_inert() {
    if (inert && (!retry_at || ++calls < retry_at)) return true;
    return inert = false;
  }
  void count_break(int line, const char* reason, const std::string& detail);
  void count_recompile(const std::string& guard, const std::string& source, std::string now);
};

// Reserves a place for states in code objects (co_extra); false when there is none.
bool reserve_code_states();
// The state of `code`, made on first use; null (no exception set) when none can be attached.
CodeState* code_state(PyCodeObject* code);
CodeState* find_code_state(PyCodeObject* code);  // null when there is none yet
const std::vector<CodeState*>& all_code_states();
// Whether many codes compiled from the same text have died before their second call. A program
// makes such codes when it compiles one text anew for each call. Then nothing is captured for the
// first call of another one.
bool is_short_lived(CodeState& state);
// Drops every entry. Places and functions that were given up are looked at again.
void drop_entries();
// Drops every entry and every count.
void reset_code_states();

// Counts over all functions since the start or the last reset, also of functions and entries that
// are gone.
struct CodeTotals {
  int64_t calls = 0, captured_calls = 0, breaks = 0, recompiles = 0;
  double compile_ms = 0;
};
CodeTotals code_totals();

// --- the pool as a whole ---
struct PoolLimits {
  int64_t bytes = int64_t(512) << 20;
};
PoolLimits& pool_limits();
int64_t pool_bytes();    // of all entries, now
int64_t pool_evicted();  // entries that left for want of room
// Takes an entry out of the pool. It is destroyed at once, or when no region runs any more.
void bury(EntryBase& entry);
void sweep_graveyard();

// While a RegionRun lives, entries that leave the pool are not destroyed. One lives from the check
// of an entry until after its exit. Work that the check left over (Memo::settle_all, destroying
// entries) is done at the end, which may run Python code.
class RegionRun {
 public:
  RegionRun() { ++running_; }
  ~RegionRun() {
    --running_;
    if (left_work_) [[unlikely]]
      finish_work();
  }
  RegionRun(const RegionRun&) = delete;
  RegionRun& operator=(const RegionRun&) = delete;
  static void leave_work() { left_work_ = true; }

 private:
  friend void sweep_graveyard();
  static void finish_work();
  static int running_;
  static bool left_work_;
};

}  // namespace msjit
