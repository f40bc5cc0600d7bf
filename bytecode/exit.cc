#include "bytecode/exit.h"

#include <set>
#include <unordered_set>

#include "bytecode/tensor_write.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/objects.h"
#include "kernels/core/op.h"
#include "kernels/eager/tape.h"

namespace msjit {

extern const OpDef op_copy;

int ExitBuilder::add(Recipe recipe) {
  capture_->recipes.push_back(std::move(recipe));
  return static_cast<int>(capture_->recipes.size()) - 1;
}

bool ExitBuilder::all(const std::vector<SymRef>& values, std::vector<int32_t>* out) {
  for (const SymRef& value : values) {
    const int index = recipe(value);
    if (index < 0) return false;
    out->push_back(index);
  }
  return true;
}

int ExitBuilder::recipe(const SymRef& value) {
  if (auto it = done_.find(value); it != done_.end()) {
    if (it->second < 0) failure = "an object that contains itself";
    return it->second;
  }
  done_[value] = -1;  // a cycle of new objects finds this entry again
  const int index = make(value);
  done_[value] = index;
  return index;
}

int ExitBuilder::add(Recipe recipe, const std::vector<SymRef>& parts) {
  return all(parts, &recipe.args) ? add(std::move(recipe)) : -1;
}

int ExitBuilder::add_instance(const SymRef& value, Recipe recipe) {
  const int index = add(std::move(recipe));
  instances_.emplace_back(value, index);
  return index;
}

bool ExitBuilder::write(Effect effect, const std::vector<SymRef>& values) {
  if (!all(values, &effect.values)) return false;
  capture_->effects.push_back(std::move(effect));
  return true;
}

int ExitBuilder::fail(std::string what, int step) {
  failure = std::move(what);
  if (step >= 0) failure_step = step;
  return -1;
}

int ExitBuilder::make(const SymRef& value) {
  if (value->source == kNoSource) {
    const auto rebuild = kind_of(value).rebuild;
    return rebuild ? rebuild(*this, value) : fail(describe(*value));
  }
  Recipe load{&recipe_loaded};
  load.index = value->source;
  return add(std::move(load));
}

// Each SymValue becomes one Python object. Two SymValues with the same graph value get two tensors,
// as the ops that made them would have given.
int ExitBuilder::tensor(const SymRef& value) {
  Recipe made{&recipe_output};
  made.index = output(value);
  if (!written_apart_) shown_.push_back(value->tensor.id());
  capture_->joined |= value->joined;
  return add(std::move(made));
}

int ExitBuilder::output(const SymRef& value) {
  const ValueId id = value->tensor.id();
  const SymValue* owner = x_.owner(id);
  return output(id, !owner || owner == value.get());
}

int ExitBuilder::output(ValueId id, bool own) {
  Graph& graph = *x_.sink().graph();
  x_.sizes().output(id, !own);
  if (output_of_.count(id) || graph.producer(id).kind != NodeKind::kOp || !own) {
    const Meta meta{graph.meta(id).dtype, false, graph.meta(id).shape};
    id = graph.add_op(op_copy, std::span(&id, 1), {}, std::span(&meta, 1), {});
  }
  const int output = static_cast<int>(graph.outputs.size());
  graph.outputs.push_back(id);
  output_of_[id] = output;
  return output;
}

void ExitBuilder::assumptions() {
  for (const Executor::Assumed& assumed : x_.assumed()) {
    const ValueId id = assumed.tested.id();
    const auto known = output_of_.find(id);
    const int index = known == output_of_.end() ? output(id, !x_.owner(id)) : known->second;
    capture_->assumptions.push_back({index, assumed.truth, assumed.otherwise});
  }
}

// An op that fails for some inputs runs even if nothing reads its result, as in eager code. Outputs
// that no recipe takes keep such nodes alive.
void ExitBuilder::checks() {
  Graph& graph = *x_.sink().graph();
  for (ValueId id : unread_values(graph, x_.checking().take(), 0, graph.outputs)) {
    x_.sizes().output(id, false);
    graph.outputs.push_back(id);
  }
}

bool ExitBuilder::fill_instances() {
  while (!instances_.empty()) {
    const auto [value, index] = instances_.back();
    instances_.pop_back();
    if (!value->items.empty() &&
        !write({&effect_dict_items, index, {}, {}}, flat_entries(*value->items[0])))
      return false;
    for (const auto& [name, attribute] : value->attributes)
      if (!write({&effect_set_attribute, index, interned_text(name), {}}, {attribute}))
        return false;
  }
  return true;
}

bool ExitBuilder::frame_state() {
  SymFrame& frame = x_.root();
  if (frame.result) {
    capture_->returns = true;
    capture_->result = recipe(frame.result);
    return capture_->result >= 0;
  }
  for (size_t i = 0; i < frame.slots.size(); ++i) {
    const SymRef& value = frame.slots[i];
    const int32_t slot = static_cast<int32_t>(i);
    if (!value) continue;  // the region never touched it
    if (value->is_null()) {
      if (x_.heap().slots().locals[i]) capture_->locals.push_back({slot, -1});
      continue;
    }
    if (value->source != kNoSource) {
      const Source& source = x_.heap().guards().source(value->source);
      if (source.kind == &load::local && source.index == slot) continue;  // unchanged
    }
    const int index = recipe(value);
    if (index < 0) return false;
    capture_->locals.push_back({slot, index});
  }
  for (const SymRef& value : frame.stack) {
    const int index = value->is_null() ? -1 : recipe(value);
    if (!value->is_null() && index < 0) return false;
    capture_->stack.push_back(index);
  }
  return true;
}

// Notes the slots that the frame held at the beginning and to which nothing refers that the region
// leaves behind.
void ExitBuilder::note_dropped() {
  const SymFrame& frame = x_.root();
  std::set<std::pair<const LoadKind*, int>> kept;
  for (const Recipe& recipe : capture_->recipes) {
    if (recipe.kind != &recipe_loaded) continue;
    const Source& source = x_.heap().guards().source(recipe.index);
    kept.emplace(source.kind, source.index);
  }
  for (size_t i = 0; i < frame.slots.size(); ++i) {
    if (!frame.slots[i] || !x_.heap().slots().locals[i]) continue;
    const SourceId id = frame.slots[i]->source;
    const Source* now = id == kNoSource ? nullptr : &x_.heap().guards().source(id);
    const int slot = static_cast<int>(i);
    if (!(now && now->kind == &load::local && now->index == slot) &&
        !kept.count({&load::local, slot}))
      capture_->dropped_locals.push_back(slot);
  }
  for (int i = 0; i < x_.start_depth(); ++i)
    if (!kept.count({&load::stack, i})) capture_->dropped_stack.push_back(i);
}

bool ExitBuilder::effects_of(const SymRef& value) {
  const int target = recipe(value);
  const auto replay = kind_of(value).replay;
  if (target >= 0 && !replay) fail(describe(*value));
  return target >= 0 && replay && replay(*this, value, target);
}

bool ExitBuilder::effects() {
  for (const Heap::Printed& line : x_.heap().printed()) {
    const int file = line.file ? recipe(line.file) : -1;
    if ((line.file && file < 0) || !write({&effect_print, file, line.keywords, {}}, line.values))
      return false;
  }
  for (const Heap::GlobalWrite& global : x_.heap().global_writes()) {
    Recipe load{&recipe_loaded};
    load.index = global.source;
    if (global.source == kNoSource)
      load.index = x_.heap().guards().add_source(load::globals_dict, kNoSource, 0, {}, "globals()");
    std::vector<SymRef> value;
    if (!global.value->is_null()) value.push_back(global.value);
    if (!write({&effect_set_global, add(std::move(load)), global.name, {}}, value)) return false;
  }
  for (const SymRef& value : x_.heap().mutables())
    if (value->changed && !dies_with_frame(value) && !effects_of(value)) return false;
  return true;
}

// Whether this is the cell of a parameter and the region is the whole call. Then only a function
// made in the region can share the cell.
bool ExitBuilder::dies_with_frame(const SymRef& value) const {
  if (!capture_->returns || !x_.begins_the_call() || value->kind != SymKind::kCell) return false;
  const Source& source = x_.heap().guards().source(value->source);
  return source.kind == &load::local && x_.root().code->slot_kind(source.index) == SlotKind::kCell;
}

// Stores the contents of such cells where a function that outlives the region shares them.
bool ExitBuilder::shared_cells() {
  std::unordered_set<SymRef> written;
  for (size_t before = 0; before < done_.size();) {
    before = done_.size();
    for (const SymRef& value : x_.heap().mutables())
      if (value->changed && dies_with_frame(value) && is_made(value) &&
          written.insert(value).second && !(effects_of(value) && fill_instances()))
        return false;
  }
  return true;
}

bool ExitBuilder::tensor_writes() {
  Graph& graph = *x_.sink().graph();
  bool seen = shows_written(x_, x_.heap(), graph);
  for (const SymRef& taken : x_.heap().taken()) seen |= done_.count(taken) != 0;
  if (seen) {
    failure = "a tensor whose memory is returned";
    reason = BreakReason::kTensorWrite;
    return false;
  }
  for (const Heap::TensorWrite& change : x_.heap().tensor_writes()) {
    // The output's memory becomes the tensor's, so it must not be a view or belong to something
    // else.
    const SymRef value = make_tensor(change.tensor->tensor);
    if (const Node& last = graph.producer(value->tensor.id());
        !change.recorded && !change.replaces && last.kind == NodeKind::kOp && !last.is_control() &&
        std::string_view(last.op->name) == "stop_gradient")
      value->tensor = x_.sink().value(last.inputs[0]);
    const Node& made = graph.producer(value->tensor.id());
    if (made.kind == NodeKind::kOp && (made.is_control() || made.op->has(kView))) {
      SymRef copied;
      if (!x_.apply(op_copy, std::span(&value->tensor, 1), {}, &copied)) return false;
      value->tensor = copied->tensor;
    }
    Effect effect{change.replaces ? &effect_replace_tensor : &effect_write_tensor,
                  recipe(change.tensor),
                  {},
                  {},
                  change.same,
                  is_state(tensor_of(change.tensor->object.get())),
                  change.recorded};
    written_apart_ = !change.recorded;
    if (!write(std::move(effect), {value})) return false;
    written_apart_ = false;
  }
  return true;
}

// In eager code a tensor made inside a transform, and not detached from it, has a history. A
// region's outputs have none.
bool ExitBuilder::gradients() {
  const GradientScopes& scopes = x_.gradient_scopes();
  if (!scopes.any()) return true;
  x_.heap().guard_parameters_differ();
  const std::vector<bool> tracked = scopes.tracked(x_.heap().parameters());
  if (std::none_of(shown_.begin(), shown_.end(), [&](ValueId id) { return tracked[id]; }))
    return true;
  failure = "whose recording outlives it";
  reason = BreakReason::kGradient;
  failure_step = scopes.first_step();
  return false;
}

// Values that may raise are computed even if nothing uses them, but only once.
bool ExitBuilder::demanded() {
  std::unordered_set<const NumberNode*> computed;
  for (const ScalarInput& scalar : x_.heap().scalars())
    if (scalar.number) add_nodes(*scalar.number, &computed);
  std::vector<SymRef> due;
  for (auto it = x_.demands().rbegin(); it != x_.demands().rend(); ++it) {
    const NumberExpr& number = (*it)->number;
    if (number && computed.count(number.get())) continue;
    if (number) add_nodes(*number, &computed);
    due.push_back(*it);
  }
  std::vector<int32_t> recipes;
  return all(due, &recipes);
}

bool ExitBuilder::build() {
  if (const SymRef generator = x_.unfinished_generator()) {
    failure = "a generator in a try block";
    failure_step = generator->born;
    return false;
  }
  if (const GradientScopes& scopes = x_.gradient_scopes(); scopes.open()) {
    failure_step = scopes.open_step();
    return false;
  }
  if (x_.auto_casts().open()) {
    failure_step = x_.auto_casts().open_step();
    return false;
  }
  if (!demanded() || !frame_state() || !effects() || !fill_instances() || !shared_cells() ||
      !tensor_writes() || !gradients())
    return false;
  if (const int step =
          seen_after_write(x_.heap().overwritten(), 0, *x_.sink().graph(), x_.gradient_scopes());
      step >= 0) {
    failure = "a tensor that a view or branch holds";
    reason = BreakReason::kTensorWrite;
    failure_step = step;
    return false;
  }
  assumptions();
  checks();
  note_dropped();
  if (x_.heap().guard_aliasing()) return true;
  failure = "a dict that is also the namespace of an object or module";
  return false;
}

}  // namespace msjit
