// Which entry runs at an instruction: one whose guards hold, or one that is captured now.
#include <fmt/core.h>

#include <algorithm>

#include "interp_hook/driver.h"
#include "interp_hook/frame_run.h"
#include "interp_hook/let_go.h"
#include "interp_hook/point_policy.h"
#include "kernels/core/log.h"
#include "kernels/eager/tape.h"

namespace msjit {

// Null: a region was skipped, or nothing is worth capturing, or an exception is set.
Entry* FrameRun::find_or_capture() {
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
    if (entry->wants_a_look()) [[unlikely]] {
      entry->looks++;
      return capture(point, now, entry);
    }
    if (!entry->rests() && !begin_trial(*entry)) return entry;
    skip_region(*entry);
    return nullptr;
  }
  if (point.cold && !policy_.whole && (point.judged || !policy_.source) &&
      !is_due(point, state_.calls) && (!point.recorded || gradients_asked()))
    return pass_by(point);
  if (!entry && !point.entries.empty()) note_recompile(point, now);
  if (!find_room(point)) return give_up(point);
  return capture(point, now);
}

// The exit of `whole` would drop an object whose end runs code. Finds or captures the part of the
// region that ends before that; its entries are kept at the separate point ~index. Null: there is
// none, and the interpreter runs the whole region.
Entry* FrameRun::end_before_code(const Entry& whole) {
  const int end = end_of(whole);  // `whole` may be evicted below
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

// At a point where nothing is worth capturing: steps on to where the last capture ended. If that
// is the end of the function, CPython gets the frame. If the point is moreover the start of the
// function and has no entry, the function is left alone.
Entry* FrameRun::pass_by(const EntryPoint& point) {
  skip_stretch(point.skip_to);
  if (point.skip_to == code_.size() && index_ == code_.entry() && point.entries.empty() &&
      !policy_.source)
    leave_alone(state_);
  return nullptr;
}

// The point is full: from now on the interpreter runs what the regions that start here would run.
Entry* FrameRun::give_up(EntryPoint& point) {
  point.cold = true;
  point.retry_at = 0;
  point.skip_to =
      point.entries.empty() ? code_.size() : end_of(static_cast<Entry&>(*point.entries.front()));
  skip_stretch(point.skip_to);
  drop_seldom_used(point);
  if (point.entries.empty() && point.skip_to == code_.size() && index_ == code_.entry())
    leave_alone(state_);
  return nullptr;
}

// The new capture goes no further than `entry`: returns that, unless the pool has evicted it.
Entry* FrameRun::use_on(EntryPoint& point, const Slots& now, const Entry& entry) {
  Entry* found = find_entry(point, now, registers_.data());
  if (found != &entry) skip_region(entry);
  return found == &entry ? found : nullptr;
}

bool FrameRun::begin_trial(Entry& entry) {
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

bool FrameRun::find_room(EntryPoint& point) {
  if (make_room(point, policy_.whole)) return true;
  const int limit = jit_config().max_entries_per_pc;
  if (!point.entries.empty())
    state_.count_break(code_[index_].line, break_name(BreakReason::kRecompileLimit),
                       break_text(BreakReason::kRecompileLimit,
                                  point.last_guard.empty() ? std::to_string(limit) + " captures"
                                                           : point.last_guard));
  return false;
}

void FrameRun::note_recompile(EntryPoint& point, const Slots& now) {
  if (point.last_failure < 0) return;
  std::string changes = note_sizes(point, now, registers_.data());
  const EntryBase& entry = *point.entries.front();
  const std::string guard = entry.describe_step(point.last_failure);
  point.last_guard = guard;
  state_.count_recompile(guard, entry.step_path(point.last_failure), std::move(changes));
  if (log_enabled(LogTopic::kGuards))
    log_text(LogTopic::kGuards, fmt::format("{}: {} failed", state_.name, guard));
}

}  // namespace msjit
