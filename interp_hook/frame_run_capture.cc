// Captures a region at an instruction, and decides what is kept of it.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "bytecode/language.h"
#include "bytecode/values/classes.h"
#include "guards/py/error.h"
#include "guards/py/host_call.h"
#include "guards/py/text.h"
#include "interp_hook/driver.h"
#include "interp_hook/frame_run.h"
#include "interp_hook/let_go.h"
#include "interp_hook/point_policy.h"
#include "kernels/core/log.h"
#include "kernels/core/profile.h"

namespace msjit {
namespace {

// How often graphs of open sizes may fail to be made before a point leaves no size open.
constexpr int kMaxRefusals = 2;

// A function that touched no tensor may touch one with other arguments. So it is looked at again
// after as many calls as it has had.
int64_t next_look(const CodeState& state) { return 2 * std::max<int64_t>(state.calls, 1); }

// `code` broke the region of its caller. Marked, it gets regions when it is called.
void mark_callee(PyCodeObject* code) {
  const CodeState* state = find_code_state(code);
  if (!hook::marked(code) && !(state && state->inert)) hook::mark(code, drive_frame);
}

bool is_longer(const Capture& capture, const Entry& entry) {
  return capture.num_ops > entry.num_ops || (capture.returns && capture.num_ops == entry.num_ops);
}

// Whether the region ended because the program raises there. That is no limit of the compiler.
bool program_raises(BreakReason reason) {
  return reason == BreakReason::kRaises || reason == BreakReason::kOpError ||
         reason == BreakReason::kUnboundName;
}

// Checks that the inlined functions are in PSJit's strict language. False: one is not, and an
// exception is set. `again`: Python code has run in the check and may have changed what the
// capture read, so it has to be captured again.
bool check_sources(const Capture& capture, bool* again) {
  for (const InlinedCode& inlined : capture.inlined) {
    const auto result = g_front_end.check_source(inlined);
    if (result == SourceCheck::kFailed) return false;
    *again |= result == SourceCheck::kPassed;
  }
  return true;
}

// Takes the error that the module has raised, if it says that there is no such name.
bool note_missing_name(const FirstUse& wanted) {
  const bool plain = PyErr_Occurred() == PyExc_AttributeError;
  const std::string text = take_error_text(), kind = "AttributeError: ";
  if (plain && text.starts_with(kind))
    note_missing(wanted.module.get(), wanted.name.get(), text.substr(kind.size()));
  return plain;
}

// Lets a module of msjit find the name that ended the capture. True: it has found it, or knows that
// there is none, so a capture can go on there. After any other error CPython asks again.
bool find_first_use(const FirstUse& wanted) {
  if (!wanted.module) return false;
  const Ref found = Ref::steal(
      host::call(host::program, PyObject_GetAttr, wanted.module.get(), wanted.name.get()));
  if (!found) return note_missing_name(wanted);
  return host::find_name(PyModule_GetDict(wanted.module.get()), utf8_text(wanted.name.get()));
}

}  // namespace

// Captures a region here, makes an entry of it and returns that. `shorter`: an entry whose guards
// hold for this call; it is replaced if the new capture goes further, and returned otherwise.
Entry* FrameRun::capture(EntryPoint& point, const Slots& now, Entry* shorter) {
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
  auto captured = take_capture(point, now);
  if (!captured.ok()) return internal_failure(point, captured.error().message);
  Capture capture = captured.take();
  if (shorter && !is_longer(capture, *shorter)) return use_on(point, now, *shorter);
  if (shorter) {
    --shorter->hits;  // the new entry serves this call
    bury(*shorter);
  }
  bool again = false;
  // A failed check is repeated in the next call, so this capture does not count.
  if (!check_sources(capture, &again)) return --point.captures, nullptr;
  again |= find_first_use(capture.first_use);
  if (again) return this->capture(point, now);
  if (is_refused(point, capture)) return nullptr;
  if (!capture.returns) note_break(capture);
  if (capture.num_ops == 0) return keep_nothing(point, capture);
  return keep(point, now, std::move(capture));
}

// Runs the symbolic execution, with the limits that hold at this point.
Result<Capture> FrameRun::take_capture(EntryPoint& point, const Slots& now) {
  // A function that must be one graph has to be captured whole whatever ran before. So its limits
  // do not depend on earlier captures, and no loop is noted as too long.
  CaptureLimits limits = policy_.whole ? jit_config().limits : limits_at(point);
  limits.whole = policy_.whole;
  limits.strict = policy_.source;
  constexpr int kEnoughToOpen = 2;
  // A number that made too many captures necessary ends the region before it is read
  // (Sizes::differs). This is forgotten if the whole function must be one graph, which cannot end
  // there, and if the captures for its values were used.
  if (policy_.whole || paid_off(point))
    for (SizeHistory& known : point.sizes) known.misses = std::min(known.misses, kEnoughToOpen);
  const auto take = [&](int steps) {
    limits.steps = steps;
    return capture_region(code_, index_, now, frame_.stack_depth(), limits,
                          point.refused_sizes < kMaxRefusals ? &point.sizes : nullptr,
                          policy_.whole ? nullptr : &state_.long_loops);
  };
  return steps_ > 0 ? capture_before_code(take, steps_, now) : take(-1);
}

// True where the call demands more of the region than it is: one graph, or a program that is in the
// language. An exception is set then, unless the program itself raises at the end of the region.
bool FrameRun::is_refused(EntryPoint& point, const Capture& capture) {
  if (capture.returns) return false;
  if (policy_.whole) {
    if (program_raises(capture.reason))
      skip_stretch(code_.size());
    else
      refuse(capture);
    return true;
  }
  if (!policy_.source || !is_outside_language(capture.reason)) return false;
  --point.captures;
  refuse(capture);
  return true;
}

// A region without operators on tensors: the interpreter runs it from now on.
Entry* FrameRun::keep_nothing(EntryPoint& point, const Capture& capture) {
  point.cold = true;
  point.recorded = capture.recorded;
  point.skip_to = capture.returns ? code_.size() : capture.exit_index;
  skip_stretch(point.skip_to);
  point.retry_at = next_look(state_);
  if (index_ == code_.entry() && capture.returns) leave_alone(state_, point.retry_at);
  return nullptr;
}

Entry* FrameRun::keep(EntryPoint& point, const Slots& now, Capture capture) {
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

Entry* FrameRun::internal_failure(EntryPoint& point, const std::string& message) {
  point.cold = true;
  point.skip_to = -1;
  state_.count_break(code_[index_].line, break_name(BreakReason::kInternal), message);
  if (log_enabled(LogTopic::kBreaks))
    log_text(LogTopic::kBreaks, fmt::format("{}: {}", state_.name, message));
  if (jit_config().strict)
    PyErr_SetString(PyExc_SystemError, message.c_str());
  else if (policy_.whole)
    g_front_end.refuse({code_.code(), code_[index_].op_offset, {}}, state_.name,
                       break_name(BreakReason::kInternal), message);
  return nullptr;
}

void FrameRun::refuse(const Capture& capture) {
  g_front_end.refuse(capture.break_at, state_.name, break_name(capture.reason),
                     break_text(capture.reason, capture.detail));
}

void FrameRun::note_break(const Capture& capture) {
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

}  // namespace msjit
