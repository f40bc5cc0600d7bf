// Entry: a captured region ready to run again. It holds the guards, the inputs, the compiled graph,
// and the exit: recipes (which Python objects to build) and effects (which existing objects to
// change), as bytecode/capture.h declares them.
#pragma once

#include "bytecode/capture.h"
#include "codegen/region.h"
#include "guards/cache.h"
#include "guards/py/collector.h"
#include "interp_hook/drawn_numbers.h"
#include "interp_hook/sized_regions.h"
#include "interp_hook/trial.h"
#include "kernels/core/random.h"
#include "kernels/processes/calls.h"

namespace msjit {

struct Entry final : EntryBase {
  std::vector<SourceId> inputs;
  std::vector<ScalarInput> scalars;
  std::vector<Draw> drawn;
  bool draws_by_calls = false;              // of functions of NumPy
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
  // The region holds a step with a custom gradient, or a whole gradient transform. It must not run
  // on inputs that the tape tracks.
  bool plain = false;
  bool loops = false;  // holds a loop or `calls`; other threads and signal handlers run in between
  bool calls = false;  // holds calls of other processes (kernels/processes/calls.h)
  bool small = false;  // so little work that starting an entry takes as long as interpreting it
  bool repeats = false;  // small, and the body of a long loop
  bool strict = false;   // captured at level STRICT: nothing in it is outside the language
  int failures = 0;      // runs that failed inside
  int rest = 0;          // calls that the interpreter serves before the region is tried again
  bool untrue = false;   // the current failure: an assumption was wrong
  int times_untrue = 0;
  bool writes_tensors = false;
  bool draws = false;  // random numbers of msjit's own generator
  Trial trial;
  bool retired = false;  // lost its trial
  // The break may not happen in later calls. Example: it lies in a callee whose first call fills a
  // cache under a lock. So the region is captured again after some calls.
  bool may_go_further = false;
  int looks = 0;  // such captures so far
  bool wants_a_look() const {
    constexpr int kLooks = 2;
    constexpr int64_t kAfter[kLooks] = {3, 64};  // hits
    return may_go_further && looks < kLooks && hits >= kAfter[looks];
  }
  // Whether this call belongs to the trial of the entry (with open sizes: of the region for this
  // call's sizes). A call that the tape records never does: its cost includes the gradient, which
  // runs later.
  Trial::Turn trial_turn(PyObject* const* registers) {
    const Trial::Turn turn = trace ? regions.next_turn() : trial.turn(hits);
    if (turn == Trial::Turn::kNone) [[likely]]
      return turn;
    return can_be_tried(registers) ? turn : Trial::Turn::kNone;
  }
  bool can_be_tried(PyObject* const* registers) const;
  // False while the compile thread still makes its kernels.
  bool is_compiled() const { return !region || region->executable().tier() > 0; }
  void entry_took(double us) { trace ? regions.entry_took(us) : trial.entry_took(us); }
  // Ends a trial with the interpreter's time. If the entry has lost, it is no longer used and
  // `state` records a break.
  void interpreter_took(double us, CodeState* state);
  // Notes a failed run. `again`: the same call comes here once more.
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
  // Whether the region releases the GIL while it runs. It does not if its exit changes existing
  // objects: the new contents are computed from those at the start, so a change that another thread
  // makes meanwhile would be lost. A region with loops must let other threads run in any case, and
  // checks its guards again afterwards (loop_turn).
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

// A region whose graph has run and whose effects are still to be applied.
struct EntryRun {
  std::vector<Ref> objects;                // by recipe; empty: an output that `pending` is to write
  QuietCollector quiet;                    // on if an effect rewrites a list, dict or set
  RandomState random;                      // the state before the run, if the region draws
  std::vector<MadeCall> calls;             // of other processes
  DrawnNumbers drawn;                      // from generators of Python
  std::shared_ptr<RegionFunction> region;  // of `pending`
  PendingRun pending;
};

// Runs the graph of an entry whose guards hold and builds the Python objects of its exit. Nothing
// that the program can see is changed yet, except tensors of a region with Graph::writes_early.
// False without a Python exception: the region failed (`error` says why) and the interpreter must
// run it; the calls of other processes that it has made are then replayed. False with an exception:
// the region raises that exception.
bool run_entry(Entry& entry, const Slots& slots, PyObject* const* registers, EntryRun* run,
               std::string* error);
// Called by a loop in a region to let other code run, by `turn()`. True: the region must be given
// up, because `turn()` says so, or because a guard no longer holds or an input has changed. The
// interpreter then runs the region from its start, with the objects as they are now.
bool loop_turn(bool (*turn)());
// For single_output entries: the result, or an empty Ref on failure.
Ref run_single(Entry& entry, PyObject* const* registers, std::string* error);
bool writes_tensor(const Effect& effect);
// Whether the tensor writes of an entry do in this call what the program's own writes would do: no
// target is tracked, and the region reads no other tensor that shares a target's memory.
bool may_write_tensors(const Entry& entry, PyObject* const* registers);
// Whether a written tensor would be tracked from then on. Only the tape can make it so.
bool gives_history(const Entry& entry, std::span<const Tensor> outputs);
// Prints, writes over inputs in place, then replays the other changes of existing objects. False
// with `untouched`: nothing is changed, because printing failed or somebody has changed an input
// that is to be overwritten. No exception is set, and the interpreter must run the region, with the
// calls of other processes replayed. False
// without `untouched`: a Python exception is set.
bool apply_effects(const Entry& entry, EntryRun* run, bool* untouched);

// Op calls executed inside compiled regions since start or reset.
extern int64_t graph_op_count;

}  // namespace msjit
