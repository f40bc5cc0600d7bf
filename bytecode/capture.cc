#include "bytecode/capture.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "bytecode/control.h"
#include "bytecode/exit.h"
#include "graph/passes/passes.h"

namespace msjit {
namespace {

struct BreakInfo {
  const char* name;
  const char* message;
  const char* cure;
  const char* whole = nullptr;  // the cure where the whole function is to be one graph
};
const BreakInfo kBreaks[] = {
#define MSJIT_BREAK(name, message, ...) {#name, message, __VA_ARGS__},
#include "bytecode/breaks.def"
};

// kCallUnknown -> call_unknown
std::string snake_case(const char* name) {
  std::string out;
  for (const char* c = name + 1; *c; ++c) {
    if (*c >= 'A' && *c <= 'Z' && !out.empty()) out += '_';
    out += *c >= 'A' && *c <= 'Z' ? static_cast<char>(*c + ('a' - 'A')) : *c;
  }
  return out;
}

}  // namespace

const char* break_name(BreakReason reason) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const BreakInfo& info : kBreaks) all.push_back(snake_case(info.name));
    return all;
  }();
  return names[static_cast<int>(reason)].c_str();
}
const char* break_message(BreakReason reason) { return kBreaks[static_cast<int>(reason)].message; }
const char* break_cure(BreakReason reason) { return kBreaks[static_cast<int>(reason)].cure; }

const char* break_cure_of(const char* name, bool whole) {
  for (size_t i = 0; i < std::size(kBreaks); ++i)
    if (std::strcmp(break_name(static_cast<BreakReason>(i)), name) == 0)
      return whole && kBreaks[i].whole ? kBreaks[i].whole : kBreaks[i].cure;
  return "";
}

std::string break_text(BreakReason reason, const std::string& detail) {
  std::string text = break_message(reason);
  if (const size_t at = text.find("{}"); at != std::string::npos) text.replace(at, 2, detail);
  return text;
}

namespace {

struct Failure {
  BreakReason reason = BreakReason::kInternal;
  std::string detail, place;
  int line = 0;
  PyCodeObject* callee = nullptr;
  UserPlace at;
};

Failure failure_of(const Executor& x) {
  return {x.reason(), x.detail(), x.place(), x.line(), x.callee(), x.user_place()};
}

void describe_exit(Executor& x, const DecodedCode& code, const Failure& failure, Capture* capture) {
  capture->exit_index = x.root().pc;
  capture->reason = failure.reason;
  capture->detail = failure.detail;
  capture->break_place = failure.place;
  capture->break_line = failure.line ? failure.line : code[x.root().pc].line;
  capture->break_callee = failure.callee;
  capture->break_at = failure.at;
  if (!failure.at.code) capture->break_at = {code.code(), code[x.root().pc].op_offset, {}};
}

void note_steps(const Executor& x, Capture* capture) {
  capture->steps = x.root_step() + (capture->returns ? 1 : 0);
  capture->last_callee = x.last_callee();
  capture->last_call = x.last_call();
}

std::vector<SourceId> used_sources(const Capture& capture) {
  std::vector<SourceId> used = capture.inputs;
  for (const Recipe& recipe : capture.recipes)
    if (recipe.kind == &recipe_loaded) used.push_back(recipe.index);
  for (const Recipe& recipe : capture.recipes)
    if (recipe.open) add_sources(*recipe.open, &used);
  for (const ScalarInput& scalar : capture.scalars)
    if (scalar.number)
      add_sources(*scalar.number, &used);
    else if (scalar.array != kNoSource)
      used.push_back(scalar.array);
  for (const Draw& draw : capture.draws) used.push_back(draw.generator);
  for (size_t i = 0; capture.open && i < capture.open->symbols.size(); ++i)
    used.push_back(capture.open->symbols[i].source);
  return used;
}

// The first run goes as far as it can. If it fails at some instruction of the outermost frame, the
// region is run again and ends before that instruction. If a value alive there cannot be rebuilt,
// it ends earlier.
class RegionCapture {
 public:
  RegionCapture(const DecodedCode& code, const Slots& slots, const CaptureLimits& limits,
                const std::vector<SizeHistory>* sizes, std::vector<int>* long_loops)
      : code_(code), slots_(slots), limits_(limits), sizes_(sizes), long_loops_(long_loops) {
    if (limits.steps >= 0) failure_.reason = BreakReason::kEndsObject;
    if (long_loops) control_.long_loops = *long_loops;
  }

  Result<Capture> run(int start, int depth) {
    constexpr int kMaxRuns = 64;
    for (runs_ = 0; runs_ < kMaxRuns; ++runs_) {
      Capture capture;
      MSJIT_TRY(const bool done, run_once(start, depth, &capture));
      if (done) return capture;
    }
    return internal_error("[capture] no legal exit found");
  }

 private:
  // False: another run is needed, which stops before the instruction `stop_`.
  Result<bool> run_once(int start, int depth, Capture* capture);
  Status failed_run(const Executor& x);
  Status step_back(const Executor& x, const ExitBuilder& exit);
  Status finish(Executor& x, Capture* capture) const;

  const DecodedCode& code_;
  const Slots& slots_;
  const CaptureLimits& limits_;
  const std::vector<SizeHistory>* const sizes_;
  std::vector<int>* const long_loops_;
  ControlPlan control_;
  int runs_ = 0;
  int stop_ = limits_.steps;  // -1: nowhere
  Failure failure_;           // why the region ends
  bool failed_ = false, recorded_ = false, in_scope_ = false, for_now_ = false;
  FirstUse first_use_;
};

Result<bool> RegionCapture::run_once(int start, int depth, Capture* capture) {
  if (std::exchange(control_.restart, false)) {
    stop_ = limits_.steps;  // it counted instructions, which may differ in this run
    failed_ = false;
  }
  Executor x(code_, slots_, limits_, &control_, sizes_);
  if (!x.run_root(start, depth, stop_)) {
    MSJIT_OK(failed_run(x));
    return false;
  }
  if (!x.returned() && stop_ < 0) failure_ = failure_of(x);  // a forced exit
  if (!x.returned() && !code_[x.root().pc].is_exit()) {
    stop_ = x.exit_before(stop_ - 1);
    if (stop_ < 0) return internal_error("[capture] no legal exit found");
    return false;
  }
  ExitBuilder exit(x, capture);
  if (!exit.build()) {
    if (!control_.restart) MSJIT_OK(step_back(x, exit));
    return false;
  }
  MSJIT_OK(finish(x, capture));
  return true;
}

// The next run stops before the instruction that could not be captured.
Status RegionCapture::failed_run(const Executor& x) {
  if (control_.restart) {
    if (long_loops_) *long_loops_ = control_.long_loops;
    return {};
  }
  if (stop_ == x.safe_step())
    return internal_error("[capture] instruction {} failed twice: {}", stop_, x.detail());
  recorded_ |= x.recorded();
  in_scope_ |= x.in_scope();
  for_now_ |= x.for_now();
  if (!std::exchange(failed_, true)) {
    failure_ = failure_of(x);
    first_use_ = x.first_use();
  }
  stop_ = x.safe_step();
  return {};
}

// The next run stops before a value comes to life that could not be rebuilt.
Status RegionCapture::step_back(const Executor& x, const ExitBuilder& exit) {
  // If the region ended because an exception leaves it, that is the better reason to report. If
  // the whole function was asked for, the first failure is.
  const bool said = failure_.reason == BreakReason::kRaises || (limits_.whole && failed_);
  if (!said && !exit.failure.empty()) {
    failure_.reason = exit.reason;
    failure_.detail = exit.failure;
  }
  // Such a value may live for long, so the steps back grow.
  constexpr int kSingleSteps = 16;
  const int back = runs_ < kSingleSteps ? 1 : std::max(1, stop_ / 3);
  if (exit.failure_step >= 0)
    stop_ = exit.failure_step;
  else
    stop_ = x.returned() || stop_ < 0 ? x.safe_step() : stop_ - back;
  if (stop_ < 0) return internal_error("[capture] cannot rebuild {}", exit.failure);
  return {};
}

Status RegionCapture::finish(Executor& x, Capture* capture) const {
  if (!capture->returns) describe_exit(x, code_, failure_, capture);
  capture->graph = x.sink().graph();
  // Arms leave nodes behind that nothing uses.
  if (x.forked()) {
    MSJIT_TRY([[maybe_unused]] bool pruned, dead_code(*capture->graph));
  }
  capture->inputs = x.heap().inputs();
  capture->graph->overwrites = find_overwrites(*capture);
  capture->graph->writes_early = !capture->graph->overwrites.empty() && is_never_given_up(*capture);
  capture->scalars = x.heap().scalars();
  for (ScalarInput& scalar : capture->scalars) scalar.copies = !x.heap().tensor_writes().empty();
  capture->draws = x.heap().draws();
  capture->inlined = x.take_inlined();
  capture->open = x.sizes().finish(&capture->trace);
  capture->num_ops = capture->graph->num_ops();
  note_steps(x, capture);
  capture->plain = x.heap().is_plain();
  capture->recorded = recorded_;
  capture->for_now = for_now_ && !capture->returns;
  if (!capture->returns) capture->first_use = first_use_;
  if (recorded_) x.heap().guard_gradients();
  if (in_scope_) x.heap().guard_outside_scopes(false);
  capture->guards = x.heap().guards().finish(used_sources(*capture));
  return {};
}

}  // namespace

Result<Capture> capture_region(const DecodedCode& code, int start, const Slots& slots, int depth,
                               const CaptureLimits& limits, const std::vector<SizeHistory>* sizes,
                               std::vector<int>* long_loops) {
  return RegionCapture(code, slots, limits, sizes, long_loops).run(start, depth);
}

}  // namespace msjit
