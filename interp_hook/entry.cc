#include "interp_hook/entry.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "codegen/compile_queue.h"
#include "guards/py/objects.h"
#include "interp_hook/config.h"
#include "interp_hook/recipes.h"
#include "interp_hook/region_call.h"

namespace msjit {

int64_t graph_op_count = 0;

EntryBase::Ready Entry::prepare(const int64_t* sizes) {
  if (!trace) return Ready::kYes;
  std::vector<int64_t> key;
  for (int i = 0; i < open->count(); ++i)
    if ((open->key >> i) & 1) key.push_back(sizes[i]);
  return regions.find(trace, std::move(key), {sizes, static_cast<size_t>(open->count())}, &region,
                      &error);
}

bool Entry::can_be_tried(PyObject* const* registers) const {
  // How long a call of other processes takes depends on them.
  if (!returns || calls || compile_synchronously() || jit_config().check) return false;
  if (region->executable().tier() == 0) return false;
  return std::ranges::none_of(
      inputs, [&](SourceId id) { return id != kNoSource && is_tracked(tensor_of(registers[id])); });
}

void Entry::interpreter_took(double us, CodeState* state) {
  const double own = trace ? regions.entry_us() : trial.entry_us();
  if (trace) {
    if (!regions.interpreter_took(us)) return;
    is_bound = false;  // these sizes are left to the interpreter
    bound.clear();
    retired = regions.all_lost();
    if (regions.lost() > 1) return;  // said once
  } else {
    retired = trial.interpreter_took(us, hits);
    if (!retired) return;
  }
  region->release_memory();
  state->count_break(line, break_name(BreakReason::kSlower),
                     break_text(BreakReason::kSlower,
                                fmt::format("{:.0f} us a call, interpreter {:.0f} us", own, us)));
}

double Entry::compile_ms() const { return trace ? regions.compile_ms() : region->compile_ms(); }

int64_t Entry::bytes() const {
  const int64_t code = trace ? trace->bytes() + regions.code_bytes() : region->code_bytes();
  const size_t own =
      sizeof *this + recipes.size() * (sizeof(Recipe) + 16) + effects.size() * sizeof(Effect);
  return static_cast<int64_t>(own) + constant_bytes + guards.bytes() + code;
}

namespace {

// Takes references to the objects that the recipes name. False: one has died.
bool hold_constants(const Entry& entry, std::vector<Ref>* held) {
  for (const Recipe& recipe : entry.recipes) {
    if (!recipe.object) continue;
    held->push_back(Ref::share(recipe.object.get()));
    if (!held->back()) return false;
  }
  return true;
}

// Whether the numbers that the exit computes do not raise. If they do, the program may not come to
// the calls of other processes that the region makes.
bool may_make_calls(const Entry& entry, PyObject* const* registers, std::string* error) {
  const SizesNow sizes(entry, registers);
  const bool good = std::ranges::all_of(entry.recipes, [&](const Recipe& recipe) {
    return recipe.kind != &recipe_number || evaluate(*recipe.open, registers, sizes.all());
  });
  if (!good) *error = kNumberRaises;
  return good;
}

// Checks what must be true before the region may run, and takes the references it needs.
bool may_run(Entry& entry, const Slots& slots, PyObject* const* registers, std::vector<Ref>* held,
             std::string* error) {
  if (entry.writes_tensors && !may_write_tensors(entry, registers)) {
    *error = "the tensors written are seen elsewhere";
    entry.untrue = true;
    return false;
  }
  if (entry.calls && !may_make_calls(entry, registers, error)) return false;
  if (entry.region->writes_early() && !hold_constants(entry, held)) {
    *error = "an object that the region returns has been freed";
    return false;
  }
  if (!entry.gives_way() && !entry.draws_by_calls) return true;
  for (SourceId id : entry.guards.used())  // what the exit reads
    if (id >= 0) held->push_back(Ref::share(registers[id]));
  held->push_back(Ref::share(slots.builtins));
  return true;
}

// Whether the assumptions of the entry were right, judged by the results of the run.
bool is_as_assumed(Entry& entry, std::span<const Tensor> outputs, std::string* error) {
  const auto wrong = std::ranges::find_if(entry.assumptions, [&](const Assumption& assumed) {
    const auto truth = truth_of(outputs[assumed.output]);
    return !truth.ok() || truth.value() != assumed.truth;  // on an error the eager run raises it
  });
  if (wrong != entry.assumptions.end())
    *error = wrong->otherwise;
  else if (entry.writes_tensors && gives_history(entry, outputs))
    *error = "a tensor written would have gradients";
  else
    return true;
  entry.untrue = true;
  return false;
}

// Draws the numbers of the region. NumPy may let other threads run meanwhile.
bool draw_all(const Entry& entry, const Slots& slots, PyObject* const* registers,
              const SizesNow& sizes, EntryRun* run, std::string* error) {
  *error = "what the region draws from generators of NumPy cannot be drawn now";
  if (entry.draws_by_calls) run->quiet.begin();
  if (!run->drawn.draw(entry.drawn, registers)) return false;
  *error = "something has changed while the region drew numbers";
  if (entry.draws_by_calls &&
      (!entry.guards.still_holds(slots, registers) || sizes != SizesNow(entry, registers)))
    return false;
  return error->clear(), true;
}

bool run_whole(Entry& entry, const Slots& slots, PyObject* const* registers, EntryRun* run,
               std::string* error) {
  InlineVec<Tensor, kInlineTensors> outputs;
  outputs.resize(entry.num_outputs);
  const SizesNow sizes(entry, registers);
  std::vector<Ref> held;
  if (!may_run(entry, slots, registers, &held, error)) return false;
  std::optional<LoopWatch> watch;
  if (entry.loops) watch.emplace(entry, slots, registers, sizes);
  const std::span<Tensor> results(outputs.data(), outputs.size());
  if (!entry.drawn.empty() && !draw_all(entry, slots, registers, sizes, run, error)) return false;
  if (!call_region(entry, registers, results, watch ? &*watch : nullptr, run, error) ||
      !is_as_assumed(entry, results, error))
    return false;
  if (entry.rewrites) run->quiet.begin();
  return make_objects({entry, registers, sizes.all(), results, run->drawn, run->objects, error},
                      &run->objects);
}

}  // namespace

bool run_entry(Entry& entry, const Slots& slots, PyObject* const* registers, EntryRun* run,
               std::string* error) {
  run->random = entry.draws ? random_state() : RandomState{};
  {
    std::optional<CallLog> log;
    if (entry.calls) log.emplace(&run->calls);
    if (run_whole(entry, slots, registers, run, error)) return true;
  }
  if (run->pending.has_written()) {  // it cannot be run again
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_MemoryError, error->c_str());
    return false;
  }
  if (entry.draws) set_random_state(run->random);  // the interpreter draws the same numbers again
  run->drawn.take_back();
  if (!PyErr_Occurred()) replay_calls(std::move(run->calls));
  return false;
}

}  // namespace msjit
