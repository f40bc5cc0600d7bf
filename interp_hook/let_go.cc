#include "interp_hook/let_go.h"

#include <algorithm>
#include <utility>

#include "guards/last_reference.h"

namespace msjit {
namespace {

// kept_objects() for an entry or a capture: both have these members.
template <class Exit>
std::vector<SourceId> kept_at(const Exit& exit) {
  std::vector<int32_t> due = exit.stack;
  due.push_back(exit.result);
  for (const SlotWrite& write : exit.locals) due.push_back(write.recipe);
  for (const Effect& effect : exit.effects)
    if (effect.kind != &effect_print)
      due.insert(due.end(), effect.values.begin(), effect.values.end());
  std::vector<SourceId> kept;
  std::vector<bool> met(exit.recipes.size());
  while (!due.empty()) {
    const int32_t index = due.back();
    due.pop_back();
    if (index < 0 || met[index]) continue;
    met[index] = true;
    const Recipe& recipe = exit.recipes[index];
    if (recipe.kind == &recipe_loaded) kept.push_back(recipe.index);
    due.insert(due.end(), recipe.args.begin(), recipe.args.end());
  }
  return kept;
}

template <class Exit>
void add_dropped(const Exit& exit, PyObject* const* registers, const Slots* frame,
                 Departure* departure) {
  for (const Effect& effect : exit.effects) {
    if (effect.target < 0 || !effect.kind->drops) continue;
    const Recipe& target = exit.recipes[effect.target];
    PyObject* const object = target.kind == &recipe_loaded     ? registers[target.index]
                             : target.kind == &recipe_constant ? target.object.get()
                                                               : nullptr;
    if (object) effect.kind->drops(object, effect, departure);
  }
  if (!frame) return;
  for (int32_t slot : exit.dropped_locals) departure->drop(frame->locals[slot]);
  for (int32_t item : exit.dropped_stack) departure->drop(frame->stack[item]);
}

// Stands in for the entry, so that a capture's references can be made weak.
struct Probe final : EntryBase {
  int64_t bytes() const override { return 0; }
  double compile_ms() const override { return 0; }
};

// Whether the exit of a capture would run code of the program. True also if its guards do not hold:
// such a capture is of no use. The exit runs code where it drops the last reference to an object.
// The capture's own references would hide that, so they are made weak here. The capture cannot be
// used afterwards.
bool capture_drops_code(Capture capture, const Slots& frame) {
  Probe probe;
  capture.guards.weaken(probe);
  for (Recipe& recipe : capture.recipes) recipe.object.weaken(probe);
  std::vector<PyObject*> registers(std::max(capture.guards.register_count(), 1));
  if (capture.guards.check(frame, registers.data()) >= 0) return true;
  Departure departure;
  add_dropped(capture, registers.data(), &frame, &departure);
  if (departure.empty()) return false;
  for (SourceId source : kept_at(capture)) departure.keep(registers[source]);
  return departure.runs_code();
}

}  // namespace

std::vector<SourceId> kept_objects(const Entry& entry) { return kept_at(entry); }

bool drops_code(const Entry& entry, PyObject* const* registers, const Slots* frame) {
  Departure departure;
  add_dropped(entry, registers, frame, &departure);
  if (departure.empty()) [[likely]]
    return false;
  for (SourceId source : entry.kept) departure.keep(registers[source]);
  return departure.runs_code();
}

Result<Capture> capture_before_code(const std::function<Result<Capture>(int)>& take, int steps,
                                    const Slots& frame) {
  int quiet = 0, loud = steps;  // a region may end before step `quiet`, and not before `loud`
  PyCodeObject* callee = nullptr;
  while (loud - quiet > 1) {
    const int middle = quiet + (loud - quiet) / 2;
    MSJIT_TRY(Capture tried, take(middle));
    PyCodeObject* const called = tried.last_call == middle - 1 ? tried.last_callee : nullptr;
    const bool runs_code = capture_drops_code(std::move(tried), frame);
    (runs_code ? loud : quiet) = middle;
    if (runs_code) callee = called;
  }
  MSJIT_TRY(Capture capture, take(quiet));
  if (callee) capture.break_callee = callee;
  return capture;
}

}  // namespace msjit
