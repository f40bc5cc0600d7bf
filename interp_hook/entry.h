// Entry: a captured region ready to run again: guards, inputs, compiled graph, recipes and effects,
// exit.
#pragma once

#include "bytecode/capture.h"
#include "codegen/region.h"
#include "guards/cache.h"
#include "guards/py/collector.h"
#include "interp_hook/sized_regions.h"
#include "interp_hook/trial.h"
#include "kernels/core/random.h"

namespace msjit {

struct Entry final : EntryBase {
  std::vector<SourceId> inputs;
  std::vector<ScalarInput> scalars;
  std::shared_ptr<RegionFunction> region;   // with open sizes: the one for the sizes bound last
  std::shared_ptr<const ShapeTrace> trace;  // null: one region serves all sizes
  SizedRegions regions;                     // with a trace: those for the sizes met
  std::vector<Recipe> recipes;
  std::vector<Effect> effects;
  std::vector<Assumption> assumptions;
  int result = -1;
  int exit_index = -1;  // canonical instruction to continue at
  std::vector<SlotWrite> locals;
  std::vector<int32_t> stack;
  std::vector<int32_t> dropped_locals, dropped_stack;
  std::vector<SourceId> kept;  // objects of the program that get a reference at the exit
  int num_outputs = 0;
  int num_ops = 0;
  int steps = 0;           // instructions of the outermost frame
  int single_output = -1;  // the region returns just this graph output, without effects
  const char* break_reason = nullptr;
  std::string break_detail;
  int break_line = 0;
  int line = 0;
  int64_t constant_bytes = 0;
  bool rewrites = false;  // an effect writes all contents of a list, dict or set
  bool joined = false;    // an output may be the very tensor of an input or of another output
  // Holds a step with a gradient of its own, or a whole gradient transform: no input may be
  // tracked.
  bool plain = false;
  bool loops = false;    // holds a loop, which gives other threads and signal handlers turns
  bool small = false;    // so little that the interpreter does it as fast as an entry is begun
  bool repeats = false;  // small, and the body of a long loop
  bool strict = false;   // captured at level STRICT: nothing in it is outside the language
  int failures = 0;      // how often it failed inside
  int rest = 0;          // calls that the interpreter serves before it is tried again
  bool untrue = false;   // the failure under way is that of an assumption
  int times_untrue = 0;
  bool writes_tensors = false;
  bool draws = false;  // random numbers
  Trial trial;
  bool retired = false;  // lost its trial
  // It ends early at what a later call may not come to. The reason lies in a callee, say, whose
  // first call fills a cache, and takes a lock for that.
  bool may_go_further = false;
  int looks = 0;  // how often it has been captured anew to see
  bool wants_a_look() {
    constexpr int kLooks = 2;
    constexpr int64_t kAfter[kLooks] = {3, 64};  // hits
    if (!may_go_further || looks == kLooks || hits < kAfter[looks]) return false;
    return ++looks, true;
  }
  // Whether this call is part of the entry's trial, or of that of the region for its sizes. Not one
  // that the tape records, whose gradient is a part of what it costs.
  Trial::Turn trial_turn(PyObject* const* registers) {
    const Trial::Turn turn = trace ? regions.next_turn() : trial.turn(hits);
    if (turn == Trial::Turn::kNone) [[likely]]
      return turn;
    return can_be_tried(registers) ? turn : Trial::Turn::kNone;
  }
  bool can_be_tried(PyObject* const* registers) const;
  // False: its kernels are still to come.
  bool is_compiled() const { return !region || region->executable().tier() > 0; }
  void entry_took(double us) { trace ? regions.entry_took(us) : trial.entry_took(us); }
  // The interpreter took so long. Where that ends the entry's use, `state` is told.
  void interpreter_took(double us, CodeState* state);
  // `again`: the same call comes here once more.
  void fail(bool again = false) {
    constexpr int kMostFailures = 10;
    constexpr int64_t kSeldom = 4;
    if (std::exchange(untrue, false) && ++times_untrue * kSeldom < hits) {
      rest = again;  // the program raises now and then
      return;
    }
    failures = failures < kMostFailures ? failures + 1 : failures;
    rest = (1 << failures) - 1;
  }
  bool rests() { return retired || !is_bound || (rest > 0 && rest-- > 0); }
  bool serves() const { return is_bound; }  // the sizes of this call
  // Other threads may run Python code in the midst of a call. Not where the exit writes to existing
  // objects what it makes of their contents at the start: changes made meanwhile would be lost.
  // Loops must let others run even then, and look at the guards again (loop_turn).
  bool is_unlocked() const { return region->is_long() && effects.empty(); }
  bool gives_way() const { return loops || is_unlocked(); }
  int64_t bytes() const override;
  double compile_ms() const override;
  void release_memory() override { region->release_memory(); }

 protected:
  Ready prepare(const int64_t* sizes) override;
  friend Result<std::unique_ptr<Entry>> make_entry(const DecodedCode&, int, Capture);
};

// Compiles a capture. An error is an internal one.
Result<std::unique_ptr<Entry>> make_entry(const DecodedCode& code, int start, Capture capture);

// A region that has run, before its effects.
struct EntryRun {
  std::vector<Ref> objects;                // by recipe; empty: an output that `pending` is to write
  QuietCollector quiet;                    // where all contents of a list are written anew
  RandomState random;                      // as it was before, where the region draws
  std::shared_ptr<RegionFunction> region;  // of `pending`
  PendingRun pending;
};

// Runs the graph of an entry whose guards hold and builds the Python objects of its exit; nothing
// outside is changed yet, but tensors of a region with Graph::writes_early. False: the region
// failed (`error` says why, no Python exception set) and must be run by the interpreter; or, with
// an exception set, that is what the region raises.
bool run_entry(Entry& entry, const Slots& slots, PyObject* const* registers, EntryRun* run,
               std::string* error);
// A loop of the region that runs on this thread gives other code a turn: does `turn()`, true = give
// up. Gives up too where the guards of the region, or what its inputs held, are no longer so behind
// it: the interpreter then runs the region, from its start, on what is so now.
bool loop_turn(bool (*turn)());
// For single_output entries: the result, or an empty Ref on failure.
Ref run_single(Entry& entry, PyObject* const* registers, std::string* error);
// Whether an effect writes a tensor, and whether all such writes of an entry are what the program
// would see of them: nobody records gradients, and no other tensor that the region reads lies in
// the memory written.
bool writes_tensor(const Effect& effect);
bool may_write_tensors(const Entry& entry, PyObject* const* registers);
// Whether a tensor written would have gradients from then on, which only the tape can give it.
bool gives_history(const Entry& entry, std::span<const Tensor> outputs);
// Prints, writes over inputs in place, then replays the other changes of existing objects. False:
// either nothing is changed, since printing failed or somebody has changed such an input
// (`untouched`, no Python exception set), so that the interpreter must run the region, or a Python
// exception is set.
bool apply_effects(const Entry& entry, EntryRun* run, bool* untouched);

// Op calls executed inside compiled regions since start or reset.
extern int64_t graph_op_count;

}  // namespace msjit
