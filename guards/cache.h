// The graph pool: per code object, per instruction offset, the entries captured there, most
// recently used first, and a byte budget over all of them. CodeStates hang on their code objects
// (co_extra) and die with them. An entry leaves the pool when its code object or an object it names
// dies, when its place or the whole pool is full and it was used least recently, and on reset; one
// that is running is only put aside until no region runs.
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
  int64_t misses = 0;
  int64_t last_used = 0;        // on the pool's clock
  EntryPoint* point = nullptr;  // where it is found; null once it has left the pool
  std::vector<std::shared_ptr<Watched>> watched;  // the objects whose death evicts it
  bool returns = false;                           // runs to the end of the function
  std::unique_ptr<OpenSizes> open;                // null: every size is constant
  virtual ~EntryBase();
  // With open sizes, behind the guards: whether the entry serves the sizes of this call, as a step
  // that failed or -1.
  int bind(PyObject* const* registers);
  std::string describe_step(int step) const;  // of the guards, or what bind() gave
  std::string step_path(int step) const;      // what that looks at
  std::vector<std::string> describe_guards() const;
  virtual int64_t bytes() const = 0;      // graph, code, constants and guards
  virtual double compile_ms() const = 0;  // so far
  virtual void release_memory() {}        // what it keeps between runs, when another one is used
  // Whether it can serve sizes that satisfy the relations. kRefused: it is not one for them;
  // kLater: the interpreter serves this call.
  enum class Ready : uint8_t { kYes, kRefused, kLater };

 protected:
  // Makes the entry ready; where that is refused, `error` says why.
  virtual Ready prepare(const int64_t*) { return Ready::kYes; }
  bool is_bound = true;  // ready for the sizes that bind() was last asked for
  std::string error;
  std::vector<int64_t> bound;  // sizes that it is ready for
};
inline constexpr int kRelationStep = 1 << 24;  // bind() gives kRelationStep + relation
inline constexpr int kPrepareStep = 1 << 25;   // or this

// What is known of one dimension, or int, that was not always the same.
struct SizeHistory {
  std::string source;
  int dim;  // -1: an int; kFloatDim: a float; kLengthDim: a list
  int misses = 0;
  bool closed = false;    // a capture needed it as a constant
  bool distinct = false;  // it only happened to equal another size
};

// A place in a function where regions may start.
struct EntryPoint {
  std::vector<std::shared_ptr<EntryBase>> entries;
  int captures = 0;       // attempts, for the limit
  bool cold = false;      // nothing worth capturing starts here
  int skip_to = -1;       // cold: the instruction the useless region ended at
  int64_t retry_at = 0;   // cold: the function's call at which it is looked at again; 0 = never
  bool recorded = false;  // cold only while gradients are asked for
  bool judged = false;    // cold: found so at level STRICT, where nothing was outside the language
  int line = 0;

  // The first entry whose guards hold, moved to the front; null when none does. `registers` needs
  // room for every entry's registers (register_count).
  const std::shared_ptr<EntryBase>* find(const Slots& slots, PyObject** registers);
  int register_count = 0;  // the largest of the entries'
  int last_failure = -1;   // the step that failed in the most recent entry, when every entry missed
  int64_t hits = 0;        // of entries that are gone
  bool returns = false;    // some entry runs to the end of the function
  std::string last_guard;  // the guard that failed before the latest capture
  std::vector<SizeHistory> sizes;  // that have changed between calls
  int refused_sizes = 0;           // how often an entry with open sizes could not serve a call
  // Puts an entry first; evicts what the pool has no room for.
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

// Everything known of one code object that was met by the JIT.
struct CodeState {
  PyCodeObject* code = nullptr;                // owns this state
  std::unordered_map<int, EntryPoint> points;  // by canonical index; ~index: CodeState::point
  EntryPoint* start = nullptr;  // the point at the function's first instruction; stable address
  int64_t calls = 0;
  int64_t captured_calls = 0;  // calls in which some region ran
  bool inert = false;          // touches no tensor: left to the interpreter for good
  int64_t retry_at = 0;        // inert: the call at which it is looked at again; 0 = never
  size_t text = 0;             // the same for codes compiled from one text; 0 = not asked for yet
  bool in_language = false;    // its source is known to be in PSJit's strict language
  CallTrial trial;             // of calls that are run in pieces
  std::string name, file;
  int line = 0;
  std::vector<int> long_loops;  // loop headers: too long to unroll, entered turn by turn
  std::vector<BreakRecord> breaks;
  std::vector<RecompileRecord> recompiles;

  // Of ~index: what is run of the regions at an index where their ends would run code.
  EntryPoint& point(int index);
  // Counts a call of an inert function; false when it is to be looked at again.
  bool stays_inert() {
    if (inert && (!retry_at || ++calls < retry_at)) return true;
    return inert = false;
  }
  void count_break(int line, const char* reason, const std::string& detail);
  void count_recompile(const std::string& guard, const std::string& source, std::string now);
};

// Takes the place for states in code objects; false when there is none.
bool reserve_code_states();
// The state of `code`, made on first use; null (no exception set) when none can be attached.
CodeState* code_state(PyCodeObject* code);
CodeState* find_code_state(PyCodeObject* code);  // null when there is none yet
const std::vector<CodeState*>& all_code_states();
// Whether codes like this one have died again and again before they were called a second time, as
// those that a program makes anew from one text for each call. Then nothing is captured for its
// first call.
bool is_short_lived(CodeState& state);
// Drops every entry, and looks again at what has been left alone.
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

// While one lives, entries that leave the pool are kept: from the check of an entry to behind its
// exit. What the check left to be done is done at the end, which may run Python code.
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
