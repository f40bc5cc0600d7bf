#include "interp_hook/region_call.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "codegen/region_check.h"
#include "guards/py/convert.h"
#include "guards/py/error.h"
#include "guards/py/objects.h"
#include "interp_hook/config.h"
#include "kernels/core/profile.h"

namespace msjit {
namespace {

// MSJIT_CHECK: compares the results with eager kernels. A disagreement is an InternalError under
// MSJIT_STRICT, otherwise a warning, and then the interpreter runs the region.
bool agrees(const RegionFunction& region, std::span<TensorImpl* const> inputs,
            std::span<Tensor> outputs, RandomState random, std::string* error) {
  auto graph = region.graph();
  Status status = graph.ok() ? compare_with_eager(*graph.value(), inputs, outputs, random)
                             : Status(graph.take_error());
  if (status.ok()) return true;
  set_random_state(random);
  *error = status.error().message;
  if (jit_config().strict)
    raise(status.error());
  else
    PyErr_WarnEx(PyExc_RuntimeWarning, error->c_str(), 1);  // which a filter may turn into an error
  return false;
}

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

}  // namespace

void LoopWatch::note_inputs(std::span<const Tensor> inputs) {
  for (const Tensor& t : inputs) inputs_.push_back({t, t.storage(), t.storage()->version});
}

bool LoopWatch::outdated() const {
  const auto same = [](const Input& input) {
    return input.tensor.storage().get() == input.storage.get() &&
           input.storage->version == input.version;
  };
  return !std::ranges::all_of(inputs_, same) || !entry_.guards.still_holds(slots_, registers_) ||
         sizes_ != SizesNow(entry_, registers_);
}

bool call_region(Entry& entry, PyObject* const* registers, std::span<Tensor> outputs,
                 LoopWatch* watch, EntryRun* run, std::string* error) {
  RegionInputs inputs;
  if (!load_inputs(entry, registers, run, &inputs, error)) return false;
  RegionFunction& region = *entry.region;
  const bool checked = jit_config().check && !entry.calls;  // a check would make the calls again
  const RandomState random = checked ? random_state() : RandomState{};
  if (watch) watch->note_inputs(borrow(inputs.impls));
  Status status;
  {
    const WatchScope scope(watch);
    std::optional<profile::Span> span;
    if (profile::on()) [[unlikely]]
      span.emplace(profile::Kind::kRegion,
                   profile::Work{fmt::format("{}, line {}", region.name(), entry.line)});
    PendingRun* pending = nullptr;
    if (run && !checked && region.overwrites()) {
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

void note_views(const Entry& entry, PyObject* const* registers, const std::vector<Ref>& earlier,
                PyObject* result) {
  std::vector<PyObject*> given;
  for (SourceId id : entry.inputs)
    if (id != kNoSource) given.push_back(registers[id]);
  for (const Ref& object : earlier) given.push_back(object.get());
  note_sharing(given, result);
}

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

}  // namespace msjit
