#include "interp_hook/frame_run.h"

#include "guards/py/error.h"
#include "interp_hook/let_go.h"
#include "interp_hook/stepper.h"

namespace msjit {
namespace {

// Regions and instructions between two looks at signals and other threads.
constexpr unsigned kTurnsPerCheck = 64;

}  // namespace

PyObject* FrameRun::run() {
  const ReplayScope replays;
  PyObject* const result = run_regions();
  if (tried_ && result)
    static_cast<Entry&>(*tried_).interpreter_took(Trial::now_us() - trial_start_, &state_);
  return result;
}

PyObject* FrameRun::run_regions() {
  for (;;) {
    // The interpreter does this at a jump back, which may lie inside a region.
    if (++turns_ % kTurnsPerCheck == 0 && code_[index_].is_exit() && frame_.enter() &&
        !let_others_run())
      return raise_here();
    // A debugger that started inside this call must see the lines that follow. Somebody who holds
    // the frame object must find the variables as the function leaves them.
    if (code_[index_].is_exit() && (frame_.is_traced() || frame_.is_kept() || !captures_here()))
      return hand_over(frame_, code_, index_);
    if (code_[index_].is_exit() && !capture_suspended()) {
      if (try_region()) {
        if (done_) return end_;
        idle_ = 0;
        if (PyErr_CheckSignals() < 0) return raise_here();
        if (long_loop_ && code_[index_].is_exit()) return hand_over(frame_, code_, index_);
      }
      if (PyErr_Occurred()) return raise_here();
    }
    if (!advance()) return end_;
  }
}

// Whether this entry is a turn of a long loop over a few small operations. Such a loop, too long
// for one region, is slower region by region than in the interpreter.
bool FrameRun::is_long_loop(Entry& entry) {
  constexpr int kLong = 128, kLongAgain = 8;
  if (!entry.small || ++small_runs_ < (entry.repeats ? kLongAgain : kLong)) return false;
  return entry.repeats = true;
}

bool FrameRun::capture_suspended() {
  if (skip_to_ < 0) return false;
  if (index_ == skip_to_) skip_to_ = kResumeBehind;
  return true;
}

bool FrameRun::try_region() {
  const RegionRun keep;
  Entry* found = find_or_capture();
  const Slots now = slots();
  if (found && drops_code(*found, registers_.data(), &now)) found = end_before_code(*found);
  return found && run_region(*found);
}

bool FrameRun::run_region(Entry& entry) {
  const Slots now = slots();
  if (!frame_.enter()) return false;
  EntryRun run;
  std::string error;
  if (!run_entry(entry, now, registers_.data(), &run, &error)) return region_failed(entry, error);
  if (!ran_) ++state_.captured_calls;
  whole_ = !ran_ && entry.returns && index_ == code_.entry();
  ran_ = true;
  bool untouched = false;
  if (!apply_effects(entry, &run, &untouched)) {
    if (untouched) skip_region(entry);
    return false;
  }
  run.quiet.end();
  if (!entry.returns) return leave_region(entry, run), true;
  finish(run.objects[entry.result]);
  if (trial_start_ > 0) [[unlikely]]
    entry.entry_took(Trial::now_us() - trial_start_);
  return true;
}

bool FrameRun::region_failed(Entry& entry, const std::string& error) {
  // An exception is set if a signal handler raised, or if memory ran out after something had
  // changed. Otherwise nothing has changed.
  if (PyErr_Occurred()) return false;
  entry.fail();
  skip_region(entry);
  state_.count_break(entry.line, break_name(BreakReason::kOpError), error);
  return false;
}

void FrameRun::leave_region(Entry& entry, const EntryRun& run) {
  for (const SlotWrite& write : entry.locals)
    frame_.set_local(write.slot, write.recipe < 0 ? Ref() : run.objects[write.recipe]);
  std::vector<Ref> stack;
  for (int32_t recipe : entry.stack) stack.push_back(recipe < 0 ? Ref() : run.objects[recipe]);
  frame_.set_stack(stack);
  index_ = entry.exit_index;
  state_.count_break(entry.break_line, entry.break_reason, entry.break_detail);
  long_loop_ = is_long_loop(entry);
}

bool FrameRun::advance() {
  if (!frame_.enter()) {
    end_ = nullptr;
    return false;
  }
  if (++idle_ > jit_config().idle_steps && code_[index_].is_exit()) {
    end_ = hand_over(frame_, code_, index_);
    return false;
  }
  const bool resume_captures = skip_to_ == kResumeBehind;
  Step result = step(frame_, code_, index_);
  switch (result.kind) {
    case Step::kNext:
      if (resume_captures || result.next != index_ + 1) skip_to_ = -1;
      index_ = result.next;
      return true;
    case Step::kReturn: finish(std::move(result.value)); return false;
    case Step::kRaise: end_ = unwind(frame_, code_, index_); return false;
    case Step::kHandOver: end_ = hand_over(frame_, code_, result.next); return false;
  }
  return false;
}

void FrameRun::finish(Ref value) {
  end_ = frame_.finish(std::move(value));
  done_ = true;
}

PyObject* FrameRun::raise_here() {
  return frame_.enter() ? unwind(frame_, code_, index_) : nullptr;
}

}  // namespace msjit
