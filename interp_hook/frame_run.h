// FrameRun: one frame on its way through the driver. frame_run.cc runs regions and single
// instructions, frame_run_lookup.cc finds the entry for an instruction, frame_run_capture.cc
// captures one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bytecode/capture.h"
#include "bytecode/frame_view.h"
#include "guards/cache.h"
#include "interp_hook/config.h"
#include "interp_hook/entry.h"
#include "interp_hook/hook.h"

namespace msjit {

class FrameRun {
 public:
  FrameRun(FrameView& frame, const DecodedCode& code, CodeState& state, FramePolicy policy)
      : frame_(frame), code_(code), state_(state), policy_(policy), index_(code.entry()) {}

  // Runs the frame to its end. Null: an exception is set.
  PyObject* run();
  // Whether one region was the whole call.
  bool was_whole() const { return whole_; }

 private:
  // ---- running (frame_run.cc)
  PyObject* run_regions();
  // True when a region ran here; the frame then stands at its exit, or the run is over.
  bool try_region();
  bool run_region(Entry& entry);
  // The interpreter runs the region and raises what the program raises.
  bool region_failed(Entry& entry, const std::string& error);
  // The exit of a region that does not return.
  void leave_region(Entry& entry, const EntryRun& run);
  // Runs one instruction. False: the run is over.
  bool advance();
  bool is_long_loop(Entry& entry);
  void finish(Ref value);
  PyObject* raise_here();
  Slots slots() const {
    return {frame_.slots(), frame_.stack(), frame_.globals().get(), frame_.builtins().get()};
  }

  // ---- skipping
  // Up to and including the instruction at `index`, no entry is looked for and nothing is captured.
  void skip_until(int index) { skip_to_ = index == index_ ? kResumeBehind : index; }
  // Steps through the instructions of a region instead of running it.
  void skip_region(const Entry& entry) { skip_stretch(end_of(entry)); }
  // The same for the stretch up to `end`. If that is the end of the function, CPython gets the
  // frame.
  void skip_stretch(int end) {
    skip_until(end);
    if (end == code_.size()) idle_ = jit_config().idle_steps;
  }
  int end_of(const Entry& entry) const { return entry.returns ? code_.size() : entry.exit_index; }
  // Whether this instruction is only stepped, because of skip_until().
  bool capture_suspended();

  // ---- the entry for an instruction (frame_run_lookup.cc); null: there is none
  Entry* find_or_capture();
  Entry* end_before_code(const Entry& whole);
  Entry* pass_by(const EntryPoint& point);
  Entry* give_up(EntryPoint& point);
  Entry* use_on(EntryPoint& point, const Slots& now, const Entry& entry);
  // Begins to time a call that belongs to the entry's trial. True: the interpreter runs this one.
  bool begin_trial(Entry& entry);
  // False: nothing more is captured at the point, which is reported as a break if it has entries.
  bool find_room(EntryPoint& point);
  void note_recompile(EntryPoint& point, const Slots& now);

  // ---- capturing (frame_run_capture.cc)
  Entry* capture(EntryPoint& point, const Slots& now, Entry* shorter = nullptr);
  Result<Capture> take_capture(EntryPoint& point, const Slots& now);
  bool is_refused(EntryPoint& point, const Capture& capture);
  Entry* keep_nothing(EntryPoint& point, const Capture& capture);
  Entry* keep(EntryPoint& point, const Slots& now, Capture capture);
  Entry* internal_failure(EntryPoint& point, const std::string& message);
  void refuse(const Capture& capture);
  void note_break(const Capture& capture);

  FrameView& frame_;
  const DecodedCode& code_;
  CodeState& state_;
  const FramePolicy policy_;
  int index_;
  unsigned turns_ = 0;
  int idle_ = 0;
  static constexpr int kResumeBehind = -2;  // skip_to_: only the current instruction is skipped
  int skip_to_ = -1;                        // -1: nothing is skipped
  int small_runs_ = 0;
  int steps_ = 0;  // end_before_code(): the length of the whole region; else 0
  bool long_loop_ = false;
  bool ran_ = false;
  bool whole_ = false;
  bool done_ = false;
  PyObject* end_ = nullptr;
  double trial_start_ = 0;            // when a timed call of an entry's trial began; else 0
  std::shared_ptr<EntryBase> tried_;  // the entry in whose place the interpreter runs
  Ref tried_code_;                    // owns the state
  std::vector<PyObject*> registers_;
};

}  // namespace msjit
