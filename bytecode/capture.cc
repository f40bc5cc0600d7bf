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
    if (recipe.kind == RecipeKind::kRegister) used.push_back(recipe.index);
  for (const Recipe& recipe : capture.recipes)
    if (recipe.open) add_sources(*recipe.open, &used);
  for (const ScalarInput& scalar : capture.scalars)
    if (scalar.number)
      add_sources(*scalar.number, &used);
    else if (scalar.array != kNoSource)
      used.push_back(scalar.array);
  for (size_t i = 0; capture.open && i < capture.open->symbols.size(); ++i)
    used.push_back(capture.open->symbols[i].source);
  return used;
}

}  // namespace

// The first run goes as far as it can. If it fails at some instruction of the outermost frame, the
// region is run again and ends before that instruction. If a value alive there cannot be rebuilt,
// it ends earlier.
Result<Capture> capture_region(const DecodedCode& code, int start, const Slots& slots, int depth,
                               const CaptureLimits& limits, const std::vector<SizeHistory>* sizes,
                               std::vector<int>* long_loops) {
  int stop = limits.steps;
  Failure failure;
  if (stop >= 0) failure.reason = BreakReason::kEndsObject;
  bool failed = false, recorded = false, in_scope = false, for_now = false;
  ControlPlan control;
  if (long_loops) control.long_loops = *long_loops;
  for (int attempt = 0; attempt < 64; ++attempt) {
    if (std::exchange(control.restart, false)) {
      stop = limits.steps;  // it counted instructions, which may differ in the next run
      failed = false;
    }
    Executor x(code, slots, limits, &control, sizes);
    if (!x.run_root(start, depth, stop)) {
      if (control.restart) {
        if (long_loops) *long_loops = control.long_loops;
        continue;
      }
      if (stop == x.safe_step())
        return internal_error("[capture] instruction {} failed twice: {}", stop, x.detail());
      recorded |= x.recorded();
      in_scope |= x.in_scope();
      for_now |= x.for_now();
      if (!std::exchange(failed, true)) failure = failure_of(x);
      stop = x.safe_step();
      continue;
    }
    if (!x.returned() && stop < 0) failure = failure_of(x);  // a forced exit
    if (!x.returned() && !code[x.root().pc].is_exit()) {
      if ((stop = x.exit_before(stop - 1)) < 0)
        return internal_error("[capture] no legal exit found");
      continue;
    }
    Capture capture;
    ExitBuilder exit(x, &capture);
    if (!exit.build()) {
      if (control.restart) continue;
      // If the region ended because an exception leaves it, that is the better reason to report. If
      // the whole function was asked for, the first failure is.
      const bool said = failure.reason == BreakReason::kRaises || (limits.whole && failed);
      if (!said && !exit.failure.empty()) {
        failure.reason = exit.reason;
        failure.detail = exit.failure;
      }
      // A value that cannot be rebuilt may live for long, so the steps back grow.
      const int back = attempt < 16 ? 1 : std::max(1, stop / 3);
      stop = exit.failure_step >= 0     ? exit.failure_step
             : x.returned() || stop < 0 ? x.safe_step()
                                        : stop - back;
      if (stop < 0) return internal_error("[capture] cannot rebuild {}", exit.failure);
      continue;
    }
    if (!capture.returns) describe_exit(x, code, failure, &capture);
    capture.graph = x.sink().graph();
    // Arms leave nodes behind that nothing uses.
    if (x.forked()) {
      MSJIT_TRY([[maybe_unused]] bool pruned, dead_code(*capture.graph));
    }
    capture.inputs = x.heap().inputs();
    capture.graph->overwrites = find_overwrites(capture);
    capture.graph->writes_early = !capture.graph->overwrites.empty() && is_never_given_up(capture);
    capture.scalars = x.heap().scalars();
    for (ScalarInput& scalar : capture.scalars) scalar.copies = !x.heap().tensor_writes().empty();
    capture.inlined = x.take_inlined();
    capture.open = x.sizes().finish(&capture.trace);
    capture.num_ops = capture.graph->num_ops();
    note_steps(x, &capture);
    capture.plain = x.heap().is_plain();
    capture.recorded = recorded;
    capture.for_now = for_now && !capture.returns;
    if (recorded) x.heap().guard_gradients();
    if (in_scope) x.heap().guard_outside_scopes(false);
    capture.guards = x.heap().guards().finish(used_sources(capture));
    return capture;
  }
  return internal_error("[capture] no legal exit found");
}

}  // namespace msjit
