#include "interp_hook/driver.h"

#include <fmt/core.h>

#include <optional>

#include "bytecode/language.h"
#include "guards/py/c_stack.h"
#include "guards/py/error.h"
#include "interp_hook/config.h"
#include "interp_hook/hook.h"
#include "interp_hook/let_go.h"
#include "interp_hook/piece_trial.h"
#include "interp_hook/point_policy.h"
#include "interp_hook/stepper.h"
#include "kernels/core/log.h"
#include "kernels/core/profile.h"
#include "kernels/eager/tape.h"

namespace msjit {

FrontEnd g_front_end;

Entry* find_entry(EntryPoint& point, const Slots& slots, PyObject** registers) {
  const std::shared_ptr<EntryBase>* found = point.find(slots, registers);
  return found ? static_cast<Entry*>(found->get()) : nullptr;
}

namespace {

// Regions and instructions between two looks at signals and other threads.
constexpr unsigned kTurnsPerCheck = 64;

// Calls without a region after which a marked function counts as one that touches no tensor.
constexpr int kCallsInVain = 16;

// A function that touched no tensor may touch one with other arguments. So it is looked at again
// after as many calls as it has had.
int64_t next_look(const CodeState& state) { return 2 * std::max<int64_t>(state.calls, 1); }

// `code` broke the region of its caller. Marked, it gets regions when it is called.
void mark_callee(PyCodeObject* code) {
  const CodeState* state = find_code_state(code);
  if (!hook::marked(code) && !(state && state->inert)) hook::mark(code, drive_frame);
}

// One frame on its way through the driver.
class FrameRun {
 public:
  FrameRun(FrameView& frame, const DecodedCode& code, CodeState& state, FramePolicy policy)
      : frame_(frame), code_(code), state_(state), policy_(policy), index_(code.entry()) {}

  // One region was the whole call.
  bool was_whole() const { return whole_; }

  PyObject* run() {
    PyObject* const result = run_regions();
    if (tried_ && result)
      static_cast<Entry&>(*tried_).interpreter_took(Trial::now_us() - trial_start_, &state_);
    return result;
  }

 private:
  PyObject* run_regions() {
    for (;;) {
      // The interpreter does this at a jump back, which may lie inside a region.
      if (++turns_ % kTurnsPerCheck == 0 && code_[index_].is_exit() && frame_.enter() &&
          !let_others_run())
        return raise_here();
      // A debugger that started inside this call must see the lines that follow. Somebody who holds
      // the frame object must find the variables as the function leaves them.
      if (code_[index_].is_exit() &&
          (frame_.is_traced() || frame_.is_kept() || !jit_config().enabled))
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

  Slots slots() const {
    return {frame_.slots(), frame_.stack(), frame_.globals().get(), frame_.builtins().get()};
  }

  // Whether this entry is a turn of a long loop over a few small operations. Such a loop, too long
  // for one region, is slower region by region than in the interpreter.
  bool is_long_loop(Entry& entry) {
    constexpr int kLong = 128, kLongAgain = 8;
    if (!entry.small || ++small_runs_ < (entry.repeats ? kLongAgain : kLong)) return false;
    return entry.repeats = true;
  }

  // Up to and including the instruction at `index`, no entry is looked for and nothing is captured.
  void skip_until(int index) { skip_to_ = index == index_ ? kResumeBehind : index; }

  // Steps through the instructions of a region instead of running it.
  void skip_region(const Entry& entry) {
    skip_until(entry.returns ? code_.size() : entry.exit_index);
    if (entry.returns) idle_ = jit_config().idle_steps;  // CPython gets the frame
  }

  // Whether this instruction is only stepped, because of skip_until().
  bool capture_suspended() {
    if (skip_to_ < 0) return false;
    if (index_ == skip_to_) skip_to_ = kResumeBehind;
    return true;
  }

  // True when a region ran here; the frame then stands at its exit, or the run is over.
  bool try_region() {
    const RegionRun keep;
    Entry* found = find_or_capture();
    const Slots now = slots();
    if (found && drops_code(*found, registers_.data(), &now)) found = end_before_code(*found);
    return found && run_region(*found);
  }

  // The exit of `whole` would drop an object whose end runs code. Finds or captures the part of the
  // region that ends before that; its entries are kept at the separate point ~index. Null: there is
  // none, and the interpreter runs the whole region.
  Entry* end_before_code(const Entry& whole) {
    const int end = whole.returns ? code_.size() : whole.exit_index;
    const int steps = whole.steps;
    trial_start_ = 0;
    EntryPoint& point = state_.point(~index_);
    if (!policy_.whole && !point.cold) {
      const Slots now = slots();
      registers_.assign(std::max(point.register_count, 1), nullptr);
      Entry* part = find_entry(point, now, registers_.data());
      if (part && !drops_code(*part, registers_.data(), &now)) return part;
      if (make_room(point, false)) {
        steps_ = steps;
        part = capture(point, now);
        steps_ = 0;
        if (PyErr_Occurred() || (!part && skip_to_ != -1)) return nullptr;
        if (part && !drops_code(*part, registers_.data(), &now)) return part;
      }
    }
    skip_until(end);
    return nullptr;
  }

  Entry* find_or_capture() {
    EntryPoint& point = state_.point(index_);
    if (index_ == code_.entry()) state_.start = &point;
    registers_.assign(std::max(point.register_count, 1), nullptr);
    const Slots now = slots();
    Entry* const entry = find_entry(point, now, registers_.data());
    // A call that demands one graph cannot use an entry that ends early, which a call without that
    // demand has made. Likewise an entry captured at another level need not be in the language.
    const bool serves =
        entry && (entry->returns || !policy_.whole) && (entry->strict || !policy_.source);
    if (serves) {
      if (entry->wants_a_look()) [[unlikely]]
        return capture(point, now, entry);
      if (!entry->rests() && !begin_trial(*entry)) return entry;
      skip_region(*entry);
      return nullptr;
    }
    if (point.cold && !policy_.whole && (point.judged || !policy_.source) &&
        !is_due(point, state_.calls) && (!point.recorded || gradients_asked())) {
      return pass_by(point);
    }
    if (!entry && !point.entries.empty()) note_recompile(point, now);
    if (!find_room(point)) return give_up(point);
    return capture(point, now);
  }

  // At a point where nothing is worth capturing: steps on to where the last capture ended. If that
  // is the end of the function, CPython gets the frame. If the point is moreover the start of the
  // function and has no entry, the function is left alone.
  Entry* pass_by(const EntryPoint& point) {
    skip_until(point.skip_to);
    if (skip_to_ == code_.size()) {
      idle_ = jit_config().idle_steps;
      if (index_ == code_.entry() && point.entries.empty() && !policy_.source) leave_alone(state_);
    }
    return nullptr;
  }

  // Begins to time a call that belongs to the entry's trial. True: the interpreter runs this one.
  bool begin_trial(Entry& entry) {
    if (index_ != code_.entry() || policy_.whole || policy_.source) return false;
    const Trial::Turn turn = entry.trial_turn(registers_.data());
    if (turn == Trial::Turn::kNone) [[likely]]
      return false;
    trial_start_ = Trial::now_us();
    if (turn != Trial::Turn::kInterpreter) return false;
    tried_ = entry.shared_from_this();
    tried_code_ = Ref::share(reinterpret_cast<PyObject*>(code_.code()));
    return true;
  }

  // The point is full: from now on the interpreter runs what the regions that start here would run.
  Entry* give_up(EntryPoint& point) {
    point.cold = true;
    point.retry_at = 0;
    point.skip_to = code_.size();
    if (!point.entries.empty() && !point.entries.front()->returns)
      point.skip_to = static_cast<Entry&>(*point.entries.front()).exit_index;
    if (point.skip_to == code_.size()) idle_ = jit_config().idle_steps;  // CPython gets the frame
    skip_until(point.skip_to);
    drop_seldom_used(point);
    if (point.entries.empty() && point.skip_to == code_.size() && index_ == code_.entry())
      leave_alone(state_);
    return nullptr;
  }

  // False: nothing more is captured at the point, which is reported as a break if it has entries.
  bool find_room(EntryPoint& point) {
    if (make_room(point, policy_.whole)) return true;
    const int limit = jit_config().max_entries_per_pc;
    if (!point.entries.empty())
      state_.count_break(code_[index_].line, break_name(BreakReason::kRecompileLimit),
                         break_text(BreakReason::kRecompileLimit,
                                    point.last_guard.empty() ? std::to_string(limit) + " captures"
                                                             : point.last_guard));
    return false;
  }

  void note_recompile(EntryPoint& point, const Slots& now) {
    if (point.last_failure >= 0) {
      std::string changes = note_sizes(point, now, registers_.data());
      const EntryBase& entry = *point.entries.front();
      const std::string guard = entry.describe_step(point.last_failure);
      point.last_guard = guard;
      state_.count_recompile(guard, entry.step_path(point.last_failure), std::move(changes));
      if (log_enabled(LogTopic::kGuards))
        log_text(LogTopic::kGuards, fmt::format("{}: {} failed", state_.name, guard));
    }
  }

  static bool is_longer(const Capture& capture, const Entry& entry) {
    return capture.num_ops > entry.num_ops || (capture.returns && capture.num_ops == entry.num_ops);
  }

  // Captures a region here, makes an entry of it and returns that. `shorter`: an entry whose guards
  // hold for this call; it is replaced if the new capture goes further, and returned otherwise.
  // A function that must be one graph has to be captured whole whatever ran before. So its limits
  // do not depend on earlier captures, and no loop is noted as too long.
  Entry* capture(EntryPoint& point, const Slots& now, Entry* shorter = nullptr) {
    constexpr int kMaxRefusals = 2;
    const auto kept = shorter ? shorter->shared_from_this() : nullptr;
    std::optional<profile::Span> span;
    if (profile::on())
      span.emplace(profile::Kind::kCapture,
                   profile::Work{fmt::format("{}, line {}", state_.name, code_[index_].line)});
    QuietCollector quiet;  // no finalizer changes what is read until the guards are checked
    quiet.begin();
    ++point.captures;
    point.cold = point.recorded = false;
    point.judged = policy_.source;
    point.line = code_[index_].line;
    CaptureLimits limits = policy_.whole ? jit_config().limits : limits_at(point);
    limits.whole = policy_.whole;
    limits.strict = policy_.source;
    constexpr int kEnoughToOpen = 2;
    // A number that differs too often ends the region before it is read (Sizes::differs). Not in
    // one graph, which cannot end there, nor if the captures for its values were used.
    if (policy_.whole || paid_off(point))
      for (SizeHistory& known : point.sizes) known.misses = std::min(known.misses, kEnoughToOpen);
    const auto take = [&](int steps) {
      limits.steps = steps;
      return capture_region(code_, index_, now, frame_.stack_depth(), limits,
                            point.refused_sizes < kMaxRefusals ? &point.sizes : nullptr,
                            policy_.whole ? nullptr : &state_.long_loops);
    };
    auto captured = steps_ > 0 ? capture_before_code(take, steps_, now) : take(-1);
    if (!captured.ok()) return internal_failure(point, captured.error().message);
    Capture capture = captured.take();
    if (shorter && !is_longer(capture, *shorter)) return use_on(point, now, *shorter);
    if (shorter) {
      --shorter->hits;  // the new entry serves this call
      bury(*shorter);
    }
    bool again = false;  // a failed check is repeated in the next call: the capture does not count
    if (!check_sources(capture, &again)) return --point.captures, nullptr;
    if (again) return this->capture(point, now);
    if (policy_.whole && !capture.returns) {
      if (!program_raises(capture.reason))
        return refuse(capture.break_at, break_name(capture.reason),
                      break_text(capture.reason, capture.detail));
      idle_ = jit_config().idle_steps;  // CPython gets the frame, and raises
      skip_until(code_.size());
      return nullptr;
    }
    if (policy_.source && !capture.returns && is_outside_language(capture.reason)) {
      --point.captures;
      return refuse(capture.break_at, break_name(capture.reason),
                    break_text(capture.reason, capture.detail));
    }
    const int exit_index = capture.returns ? -1 : capture.exit_index;
    if (!capture.returns) note_break(capture);
    if (capture.num_ops == 0) {
      point.cold = true;
      point.recorded = capture.recorded;
      point.skip_to = capture.returns ? code_.size() : exit_index;
      skip_until(point.skip_to);
      point.retry_at = next_look(state_);
      if (capture.returns) idle_ = jit_config().idle_steps;  // CPython gets the frame
      if (index_ == code_.entry() && capture.returns) leave_alone(state_, point.retry_at);
      return nullptr;
    }
    if (capture.open) close_sizes(point, *capture.open);
    const bool open = capture.trace != nullptr;
    auto entry = make_entry(code_, index_, std::move(capture));
    if (!entry.ok() && open && !jit_config().strict) {
      point.refused_sizes = kMaxRefusals;
      return this->capture(point, now);
    }
    if (!entry.ok()) return internal_failure(point, entry.error().message);
    entry.value()->strict = policy_.source;
    point.add(entry.take());
    registers_.assign(point.register_count, nullptr);
    // The guards of the new entry hold by construction; checking them loads the registers.
    Entry* found = find_entry(point, now, registers_.data());
    return found ? found : internal_failure(point, "[capture] fresh guards do not hold");
  }

  // The new capture goes no further than `entry`: returns that, unless the pool has evicted it.
  Entry* use_on(EntryPoint& point, const Slots& now, const Entry& entry) {
    Entry* found = find_entry(point, now, registers_.data());
    if (found != &entry) skip_region(entry);
    return found == &entry ? found : nullptr;
  }

  // Checks that the inlined functions are in PSJit's strict language. False: one is not, and an
  // exception is set. `again`: Python code has run in the check and may have changed what the
  // capture read, so it has to be captured again.
  static bool check_sources(const Capture& capture, bool* again) {
    for (const InlinedCode& inlined : capture.inlined) {
      const auto result = g_front_end.check_source(inlined);
      if (result == SourceCheck::kFailed) return false;
      *again |= result == SourceCheck::kPassed;
    }
    return true;
  }

  Entry* internal_failure(EntryPoint& point, const std::string& message) {
    point.cold = true;
    point.skip_to = -1;
    state_.count_break(code_[index_].line, break_name(BreakReason::kInternal), message);
    if (log_enabled(LogTopic::kBreaks))
      log_text(LogTopic::kBreaks, fmt::format("{}: {}", state_.name, message));
    if (jit_config().strict)
      PyErr_SetString(PyExc_SystemError, message.c_str());
    else if (policy_.whole)
      refuse({code_.code(), code_[index_].op_offset, {}}, break_name(BreakReason::kInternal),
             message);
    return nullptr;
  }

  Entry* refuse(const UserPlace& place, const char* reason, const std::string& text) {
    g_front_end.refuse(place, state_.name, reason, text);
    return nullptr;
  }

  // Whether the region ended because the program raises there. That is no limit of the compiler.
  static bool program_raises(BreakReason reason) {
    return reason == BreakReason::kRaises || reason == BreakReason::kOpError ||
           reason == BreakReason::kUnboundName;
  }

  void note_break(const Capture& capture) {
    std::string detail = break_text(capture.reason, capture.detail);
    if (!capture.break_place.empty()) detail += " (" + capture.break_place + ")";
    if (capture.break_callee) mark_callee(capture.break_callee);
    // A region that is kept counts its break each time it ends there.
    if (capture.num_ops == 0)
      state_.count_break(capture.break_line, break_name(capture.reason), detail);
    if (log_enabled(LogTopic::kBreaks))
      log_text(LogTopic::kBreaks,
               fmt::format("{}:{}: {}: {}", state_.file, capture.break_line, state_.name, detail));
  }

  // True when the region ran; the frame then stands at its exit, or the run is over.
  bool run_region(Entry& entry) {
    const Slots now = slots();
    if (!frame_.enter()) return false;
    EntryRun run;
    std::string error;
    if (!run_entry(entry, now, registers_.data(), &run, &error)) {
      // An exception is set if a signal handler raised, or if memory ran out after something had
      // changed. Otherwise nothing has changed: the interpreter runs the region and raises what the
      // program raises.
      if (PyErr_Occurred()) return false;
      entry.fail();
      skip_region(entry);
      state_.count_break(entry.line, break_name(BreakReason::kOpError), error);
      return false;
    }
    if (!ran_) ++state_.captured_calls;
    whole_ = !ran_ && entry.returns && index_ == code_.entry();
    ran_ = true;
    bool untouched = false;
    if (!apply_effects(entry, &run, &untouched)) {
      if (untouched) skip_region(entry);
      return false;
    }
    run.quiet.end();
    const std::vector<Ref>& objects = run.objects;
    if (entry.returns) {
      finish(objects[entry.result]);
      if (trial_start_ > 0) [[unlikely]]
        entry.entry_took(Trial::now_us() - trial_start_);
      return true;
    }
    for (const SlotWrite& write : entry.locals)
      frame_.set_local(write.slot, write.recipe < 0 ? Ref() : objects[write.recipe]);
    std::vector<Ref> stack;
    for (int32_t recipe : entry.stack) stack.push_back(recipe < 0 ? Ref() : objects[recipe]);
    frame_.set_stack(stack);
    index_ = entry.exit_index;
    state_.count_break(entry.break_line, entry.break_reason, entry.break_detail);
    long_loop_ = is_long_loop(entry);
    return true;
  }

  // Runs one instruction. False: the run is over.
  bool advance() {
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

  void finish(Ref value) {
    end_ = frame_.finish(std::move(value));
    done_ = true;
  }

  PyObject* raise_here() { return frame_.enter() ? unwind(frame_, code_, index_) : nullptr; }

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

PyObject* drive_on_trial(FrameView& frame, const DecodedCode& code, CodeState& state) {
  const CallTrial::Turn turn = next_turn_in_pieces(state);
  const bool timed = turn != CallTrial::Turn::kNone;
  const Ref owner = Ref::share(reinterpret_cast<PyObject*>(state.code));
  const double start = timed ? Trial::now_us() : 0;
  PyObject* result = nullptr;
  if (turn == CallTrial::Turn::kInterpreter) {
    result = frame.resume();
  } else {
    if (!frame.prologue()) return nullptr;
    FrameRun run(frame, code, state, {});
    result = run.run();
    if (!timed && run.was_whole()) state.trial.was_whole();
  }
  if (timed && result && state.trial.took(turn, Trial::now_us() - start)) end_pieces(state);
  return result;
}

}  // namespace

PyObject* drive_frame(FrameView& frame) {
  const FramePolicy policy = hook::take_policy();
  CodeState* state = code_state(frame.code());
  if (!state || state->inert || !jit_config().enabled || c_stack_left() < kDriveStack)
    return frame.resume();
  if (!policy.whole && !policy.source && is_short_lived(*state)) {
    ++state->calls;
    return frame.resume();
  }
  auto decoded = decode(frame.code());
  if (!decoded.ok() || decoded.value()->is_generator()) {
    leave_alone(*state);
    return frame.resume();
  }
  ++state->calls;
  if (state->calls > kCallsInVain && state->captured_calls == 0 &&
      !(state->start && state->start->recorded) && hook::marked(state->code) == drive_frame) {
    leave_alone(*state);
    return frame.resume();
  }
  if (policy.whole || policy.source) {
    if (!frame.prologue()) return nullptr;
    return FrameRun(frame, *decoded.value(), *state, policy).run();
  }
  return drive_on_trial(frame, *decoded.value(), *state);
}

}  // namespace msjit
