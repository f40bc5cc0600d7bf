#include "interp_hook/entry.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "bytecode/tensor_value.h"
#include "codegen/compile_queue.h"
#include "codegen/region_check.h"
#include "guards/py/convert.h"
#include "guards/py/error.h"
#include "guards/py/objects.h"
#include "interp_hook/config.h"
#include "kernels/core/profile.h"

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
  if (!returns || compile_synchronously() || jit_config().check) return false;
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
  const Graph& graph = region->graph();
  const int64_t code = trace ? trace->bytes() + regions.code_bytes() : region->code_bytes();
  const size_t own = sizeof *this + graph.nodes.size() * 2 * sizeof(Node) +
                     recipes.size() * (sizeof(Recipe) + 16) + effects.size() * sizeof(Effect);
  return static_cast<int64_t>(own) + constant_bytes + guards.bytes() + code;
}

namespace {

constexpr int kInlineTensors = 16;

// MSJIT_CHECK: compares the results with eager kernels. A disagreement is an InternalError under
// MSJIT_STRICT, otherwise a warning, and then the interpreter runs the region.
bool agrees(const RegionFunction& region, std::span<TensorImpl* const> inputs,
            std::span<Tensor> outputs, RandomState random, std::string* error) {
  Status status = compare_with_eager(region.graph(), inputs, outputs, random);
  if (status.ok()) return true;
  set_random_state(random);
  *error = status.error().message;
  if (jit_config().strict)
    raise(status.error());
  else if (PyErr_WarnEx(PyExc_RuntimeWarning, error->c_str(), 1) < 0)
    return false;
  return false;
}

// The values of the open sizes in this call.
class SizesNow {
 public:
  SizesNow(const Entry& entry, PyObject* const* registers)
      : count_(entry.open ? static_cast<size_t>(entry.open->count()) : 0) {
    if (count_) entry.open->load(registers, sizes_);
  }
  std::span<const int64_t> all() const { return {sizes_, count_}; }
  bool operator==(const SizesNow& other) const { return std::ranges::equal(all(), other.all()); }

 private:
  size_t count_;
  int64_t sizes_[kMaxSizeSymbols];
};

const char kNumberRaises[] = "computing a Python number for the region raises, or gives no float";

// An array of the program as an input tensor that shares its memory; the region only copies from
// it.
bool array_input(const ScalarInput& input, PyObject* const* registers, std::vector<Tensor>* out) {
  out->emplace_back();
  if (tensor_from_buffer(registers[input.array], "Tensor", input.copies, &out->back())) return true;
  return PyErr_Clear(), false;
}

// Makes the inputs of the graph that are no tensors of the program: sizes, numbers and arrays.
bool scalar_inputs(const Entry& entry, PyObject* const* registers, const EntryRun* run,
                   std::vector<Tensor>* scalars) {
  const SizesNow sizes(entry, registers);
  for (const ScalarInput& scalar : entry.scalars) {
    if (scalar.draw >= 0) {
      scalars->push_back(run->drawn.input(scalar.draw));
      continue;
    }
    if (scalar.array != kNoSource) {
      if (!array_input(scalar, registers, scalars)) return false;
      continue;
    }
    int64_t value = 0;
    const Ref number = scalar.number ? evaluate(*scalar.number, registers, sizes.all()) : Ref();
    if (scalar.number && !number) return false;
    if (!number) evaluate(*scalar.size, sizes.all(), &value);
    scalars->push_back(number ? Tensor::scalar<double>(PyFloat_AS_DOUBLE(number.get()), true)
                              : Tensor::scalar<int64_t>(value, true));
  }
  return true;
}

// What a region with loops has read: its guards, sizes and inputs. After a loop has let other code
// run, outdated() says whether one of them has changed.
class LoopWatch {
 public:
  LoopWatch(const Entry& entry, const Slots& slots, PyObject* const* registers,
            const SizesNow& sizes)
      : entry_(entry), slots_(slots), registers_(registers), sizes_(sizes) {}
  void note_inputs(std::span<const Tensor> inputs) {
    for (const Tensor& t : inputs) inputs_.push_back({t, t.storage(), t.storage()->version});
  }
  bool outdated() const {
    const auto same = [](const Input& input) {
      return input.tensor.storage().get() == input.storage.get() &&
             input.storage->version == input.version;
    };
    return !std::all_of(inputs_.begin(), inputs_.end(), same) ||
           !entry_.guards.still_holds(slots_, registers_) || sizes_ != SizesNow(entry_, registers_);
  }

 private:
  struct Input {
    Tensor tensor;
    Storage storage;
    uint64_t version;
  };
  const Entry& entry_;
  const Slots& slots_;
  PyObject* const* registers_;
  const SizesNow& sizes_;
  std::vector<Input> inputs_;
};

// The watch of the region that runs on this thread; null while a loop lets other code run.
thread_local LoopWatch* t_watch = nullptr;

class WatchScope {
 public:
  explicit WatchScope(LoopWatch* watch) : saved_(std::exchange(t_watch, watch)) {}
  ~WatchScope() { t_watch = saved_; }
  WatchScope(const WatchScope&) = delete;

 private:
  LoopWatch* saved_;
};

struct RegionInputs {
  InlineVec<TensorImpl*, kInlineTensors> impls;
  std::vector<Tensor> scalars;             // owns the inputs that are no tensors of the program
  std::shared_ptr<RegionFunction> region;  // another thread may bind other sizes meanwhile
};

bool load_inputs(const Entry& entry, PyObject* const* registers, const EntryRun* run,
                 RegionInputs* inputs, std::string* error) {
  if (!entry.serves()) {
    *error = "its sizes have no graph of their own yet";
    return false;
  }
  if (!entry.open && entry.scalars.empty()) [[likely]] {
    for (SourceId id : entry.inputs) inputs->impls.push_back(tensor_of(registers[id]).impl());
  } else {
    inputs->region = entry.region;
    if (!scalar_inputs(entry, registers, run, &inputs->scalars)) {
      *error = kNumberRaises;
      return false;
    }
    auto scalar = inputs->scalars.begin();
    for (SourceId id : entry.inputs)
      inputs->impls.push_back(id == kNoSource ? (scalar++)->impl()
                                              : tensor_of(registers[id]).impl());
  }
  if (!entry.plain || !any_tracked(borrow(inputs->impls))) return true;
  // The user tracks an input, outside all transforms.
  *error = "gradients are asked for of a region that holds gradients of its own";
  return false;
}

// Loads the inputs and calls the region.
bool call_region(Entry& entry, PyObject* const* registers, std::span<Tensor> outputs,
                 LoopWatch* watch, EntryRun* run, std::string* error) {
  RegionInputs inputs;
  if (!load_inputs(entry, registers, run, &inputs, error)) return false;
  RegionFunction& region = *entry.region;
  const bool checked = jit_config().check;
  const RandomState random = checked ? random_state() : RandomState{};
  if (watch) watch->note_inputs(borrow(inputs.impls));
  Status status;
  {
    const WatchScope scope(watch);
    std::optional<profile::Span> span;
    if (profile::on()) [[unlikely]]
      span.emplace(profile::Kind::kRegion,
                   profile::Work{fmt::format("{}, line {}", region.graph().name, entry.line)});
    PendingRun* pending = nullptr;
    if (run && !checked && !region.graph().overwrites.empty()) {
      run->region = entry.region;
      pending = &run->pending;
    }
    status = region.call(inputs.impls, outputs, entry.is_unlocked() && !checked, pending);
  }
  if (!status.ok()) {
    *error = status.error().message;
    if (run && run->pending.has_written()) raise(status.error());
    return false;
  }
  if (checked && !agrees(region, inputs.impls, outputs, random, error)) return false;
  graph_op_count += entry.num_ops;
  return true;
}

// A result may be a view of an input or of an earlier result.
void note_views(const Entry& entry, PyObject* const* registers, const std::vector<Ref>& earlier,
                PyObject* result) {
  std::vector<PyObject*> given;
  for (SourceId id : entry.inputs)
    if (id != kNoSource) given.push_back(registers[id]);
  for (const Ref& object : earlier) given.push_back(object.get());
  note_sharing(given, result);
}

}  // namespace

bool loop_turn(bool (*turn)()) {
  LoopWatch* const watch = t_watch;
  const WatchScope none(nullptr);  // the code that runs now may run other regions
  return turn() || (watch && watch->outdated());
}

Ref run_single(Entry& entry, PyObject* const* registers, std::string* error) {
  Tensor output;
  if (!call_region(entry, registers, std::span(&output, 1), nullptr, nullptr, error)) return {};
  Ref result = wrap_tensor(std::move(output));
  if (!result)
    *error = take_error_text();
  else if (may_be_noted(tensor_of(result.get()))) [[unlikely]]
    note_views(entry, registers, {}, result.get());
  return result;
}

namespace {

// A kConst recipe: its object. A kMade recipe: what `build` makes of its object and of earlier
// ones.
Ref rebuild(const Recipe& recipe, const Objects& objects) {
  const Ref object = Ref::share(recipe.object.get());  // a collection may free it meanwhile
  if (recipe.object && !object) return {};
  return recipe.kind == RecipeKind::kConst ? object : recipe.build(recipe, objects);
}

// A branch may return one of its inputs unchanged. Then the output is the very tensor of an input
// or of an earlier output, and this is the Python object of that. Empty when it is a new tensor.
Ref object_of(const Entry& entry, PyObject* const* registers, std::span<const Tensor> outputs,
              int32_t output, const std::vector<Ref>& objects) {
  const Tensor& tensor = outputs[output];
  for (SourceId id : entry.inputs)
    if (id != kNoSource && tensor_of(registers[id]).same(tensor)) return Ref::share(registers[id]);
  for (size_t i = 0; i < objects.size(); ++i) {
    const Recipe& earlier = entry.recipes[i];
    if (earlier.kind == RecipeKind::kOutput && outputs[earlier.index].same(tensor))
      return objects[i];
  }
  return {};
}

// Takes references to the objects that the recipes name. False: one has died.
bool hold_constants(const Entry& entry, std::vector<Ref>* held) {
  for (const Recipe& recipe : entry.recipes) {
    if (!recipe.object) continue;
    held->push_back(Ref::share(recipe.object.get()));
    if (!held->back()) return false;
  }
  return true;
}

// Checks what must be true before the region may run, and takes the references it needs.
bool may_run(Entry& entry, const Slots& slots, PyObject* const* registers, std::vector<Ref>* held,
             std::string* error) {
  if (entry.writes_tensors && !may_write_tensors(entry, registers)) {
    *error = "the tensors written are seen elsewhere";
    entry.untrue = true;
    return false;
  }
  if (entry.region->graph().writes_early && !hold_constants(entry, held)) {
    *error = "an object that the region returns has been freed";
    return false;
  }
  if (!entry.gives_way() && !entry.calls) return true;
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

// Makes one object of the exit and appends it to run->objects. It appends an empty Ref for a result
// that is written over an input. False: `error` says why.
bool make_object(const Entry& entry, const Recipe& recipe, PyObject* const* registers,
                 const SizesNow& sizes, std::span<const Tensor> outputs, EntryRun* run,
                 std::string* error) {
  Ref object;
  switch (recipe.kind) {
    case RecipeKind::kRegister: object = Ref::share(registers[recipe.index]); break;
    case RecipeKind::kSize: {
      int64_t value = 0;
      evaluate(*recipe.size, sizes.all(), &value);
      object = Ref::steal(PyLong_FromLongLong(value));
      break;
    }
    case RecipeKind::kNumber:
      object = evaluate(*recipe.open, registers, sizes.all());
      if (!object) *error = kNumberRaises;
      break;
    case RecipeKind::kScalar:
      object = number_from(outputs[recipe.index], recipe.object.get());
      break;
    case RecipeKind::kDrawn: object = run->drawn.object(recipe.index); break;
    case RecipeKind::kOutput:
      if (!outputs[recipe.index]) return run->objects.emplace_back(), true;
      if (entry.joined) object = object_of(entry, registers, outputs, recipe.index, run->objects);
      if (!object) {
        object = wrap_tensor(outputs[recipe.index]);
        if (object && may_be_noted(outputs[recipe.index])) [[unlikely]]
          note_views(entry, registers, run->objects, object.get());
      }
      break;
    case RecipeKind::kConst:
    case RecipeKind::kMade: object = rebuild(recipe, run->objects); break;
  }
  if (!object) {
    if (error->empty()) *error = take_error_text();
    return false;
  }
  run->objects.push_back(std::move(object));
  return true;
}

// Draws the numbers of the region. NumPy may let other threads run meanwhile.
bool draw_all(const Entry& entry, const Slots& slots, PyObject* const* registers,
              const SizesNow& sizes, EntryRun* run, std::string* error) {
  *error = "what the region draws from generators of NumPy cannot be drawn now";
  if (entry.calls) run->quiet.begin();
  if (!run->drawn.draw(entry.drawn, registers)) return false;
  *error = "something has changed while the region drew numbers";
  if (entry.calls &&
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
  run->objects.reserve(entry.recipes.size());
  return std::ranges::all_of(entry.recipes, [&](const Recipe& recipe) {
    return make_object(entry, recipe, registers, sizes, results, run, error);
  });
}

}  // namespace

bool run_entry(Entry& entry, const Slots& slots, PyObject* const* registers, EntryRun* run,
               std::string* error) {
  run->random = entry.draws ? random_state() : RandomState{};
  if (run_whole(entry, slots, registers, run, error)) return true;
  if (run->pending.has_written()) {  // it cannot be run again
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_MemoryError, error->c_str());
    return false;
  }
  if (entry.draws) set_random_state(run->random);  // the interpreter draws the same numbers again
  run->drawn.take_back();
  return false;
}

}  // namespace msjit
