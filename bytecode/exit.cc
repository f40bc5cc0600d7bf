#include "bytecode/exit.h"

#include <set>
#include <unordered_set>

#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/tensor_write.h"
#include "guards/py/objects.h"
#include "guards/py/set_table.h"
#include "guards/py/tables.h"
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
  done_[value] = -1;  // a cycle of fresh objects meets itself here
  const int index = make(value);
  done_[value] = index;
  return index;
}

// A copy of an array that the capture keeps.
static Recipe copied(int array) {
  Recipe made{RecipeKind::kCallMethod};
  made.object = Ref::steal(PyUnicode_InternFromString("__copy__"));
  made.args = {array};
  return made;
}

int ExitBuilder::make(const SymRef& value) {
  if (value->source != kNoSource) {
    Recipe load{RecipeKind::kRegister};
    load.index = value->source;
    return add(std::move(load));
  }
  Recipe made{RecipeKind::kConst};
  switch (value->kind) {
    case SymKind::kConst:
      made.object = value->object;
      return add(is_array(value) ? copied(add(std::move(made))) : std::move(made));
    case SymKind::kTensor: return tensor(value);
    case SymKind::kScalar:
      made.kind = RecipeKind::kScalar;
      made.index = output(value);
      made.object = value->cls;
      return add(std::move(made));
    case SymKind::kSize:
      made.kind = RecipeKind::kSize;
      made.size = value->size;
      return add(std::move(made));
    case SymKind::kNumber:
      made.kind = RecipeKind::kNumber;
      made.open = value->number;
      return add(std::move(made));
    case SymKind::kTuple:
      made.kind = RecipeKind::kTuple;
      made.object = value->cls;
      break;
    case SymKind::kList: made.kind = RecipeKind::kList; break;
    case SymKind::kSlice: made.kind = RecipeKind::kSlice; break;
    case SymKind::kMethod:
      made.kind = RecipeKind::kMethod;
      if (value->items[0]->kind == SymKind::kConst &&
          PyUnicode_Check(value->items[0]->object.get())) {
        made.kind = RecipeKind::kBuiltinMethod;
        made.object = value->items[0]->object;
        if (!all({value->items[1]}, &made.args)) return -1;
        return add(std::move(made));
      }
      break;
    case SymKind::kSet: {
      made.kind = RecipeKind::kSet;
      Ref table = clone_set(value->shadow.get());
      made.object = table ? Ref::steal(PyTuple_Pack(1, table.get())) : Ref();
      return add(std::move(made));
    }
    case SymKind::kVars:
      made.kind = RecipeKind::kBuiltinMethod;
      made.object = Ref::steal(PyUnicode_InternFromString("__dict__"));
      if (!all({value->items[0]}, &made.args)) return -1;
      return add(std::move(made));
    case SymKind::kSuper: made.kind = RecipeKind::kSuper; break;
    case SymKind::kCell: made.kind = RecipeKind::kCell; break;
    case SymKind::kDict:
      if (value->cls && !is_table_type(type_of(*value))) {  // a view shows them
        failure = describe(*value);
        return -1;
      }
      made.kind = RecipeKind::kDict;
      made.object = value->cls;
      if (!value->items.empty()) {  // what a defaultdict makes
        made.number = 1;
        if (!all(value->items, &made.args)) return -1;
      }
      for (const auto& [key, item] : value->entries)
        if (!all({key, item}, &made.args)) return -1;
      return add(std::move(made));
    case SymKind::kIterator: return iterator(value);
    case SymKind::kFunction: return function(value);
    case SymKind::kObject: return instance(value);
    case SymKind::kChoice: return -1;  // why it was not called says more
    case SymKind::kRows: x_.refuse_rows(*value); return -1;
    default: failure = describe(*value); return -1;
  }
  if (value->kind == SymKind::kCell && !value->items.empty() && value->items[0]->is_null())
    return add(std::move(made));
  if (!all(value->items, &made.args)) return -1;
  return add(std::move(made));
}

// A result is one Python object per SymValue; two that are the same graph value still get tensors
// of their own, as the ops that made them would have given.
int ExitBuilder::tensor(const SymRef& value) {
  Recipe made{RecipeKind::kOutput};
  made.index = output(value);
  if (!written_apart_) shown_.push_back(value->tensor.id());
  capture_->joined |= value->joined;
  return add(std::move(made));
}

int ExitBuilder::output(const SymRef& value) {
  Graph& graph = *x_.sink().graph();
  ValueId id = value->tensor.id();
  const NodeKind producer = graph.producer(id).kind;
  const SymValue* owner = x_.owner(id);
  x_.sizes().output(id, owner && owner != value.get());
  if (output_of_.count(id) || producer != NodeKind::kOp || (owner && owner != value.get())) {
    const Meta meta{graph.meta(id).dtype, false, graph.meta(id).shape};
    id = graph.add_op(op_copy, std::span(&id, 1), {}, std::span(&meta, 1), {});
  }
  const int output = static_cast<int>(graph.outputs.size());
  graph.outputs.push_back(id);
  output_of_[id] = output;
  return output;
}

void ExitBuilder::assumptions() {
  for (const Executor::Assumed& assumed : x_.assumed())
    capture_->assumptions.push_back({output(assumed.tested), assumed.truth, assumed.otherwise});
}

int ExitBuilder::iterator(const SymRef& value) {
  const SymIterator& it = *value->iterator;
  Recipe made{RecipeKind::kSequenceIterator};
  if (it.generator) {
    failure = "a generator that is kept or returned";
    failure_step = value->born;
    return -1;
  }
  if (it.exhausted) {
    made.args = {add(Recipe{RecipeKind::kTuple})};
    return add(std::move(made));
  }
  made.number = it.position;
  switch (it.kind) {
    case IterKind::kSequence: break;
    case IterKind::kReversed: made.kind = RecipeKind::kReversed; break;
    case IterKind::kZip: made.kind = RecipeKind::kZip; break;
    case IterKind::kEnumerate: made.kind = RecipeKind::kEnumerate; break;
    case IterKind::kDictView:
      made.kind = RecipeKind::kCallMethod;
      made.object = it.object;
      break;
    case IterKind::kDict:
      made.kind = RecipeKind::kDictIterator;
      made.object = it.object;
      break;
    case IterKind::kSet:
      made.kind = RecipeKind::kDictIterator;
      made.object = Ref::steal(PyUnicode_InternFromString("__iter__"));
      break;
    case IterKind::kMap: made.kind = RecipeKind::kMap; break;
    case IterKind::kFilter: made.kind = RecipeKind::kFilter; break;
    case IterKind::kGenerator: break;
    default:
      failure = "an iterator of itertools";
      failure_step = value->born;
      return -1;
    case IterKind::kConstant:
      made.kind = RecipeKind::kConstantIterator;
      made.object = it.object;
      return add(std::move(made));
  }
  // These depend on how the container looked when they were made.
  const bool by_state =
      it.kind == IterKind::kReversed || it.kind == IterKind::kDict || it.kind == IterKind::kSet;
  if (by_state && (it.children[0]->changed || it.removals != it.children[0]->removals)) {
    failure = "an iterator over a changed container";
    failure_step = value->born;
    return -1;
  }
  // Wrapping an instance again would run its __iter__.
  const bool calls = it.kind == IterKind::kMap || it.kind == IterKind::kFilter;
  const bool wraps = calls || it.kind == IterKind::kZip || it.kind == IterKind::kEnumerate;
  for (size_t i = calls; wraps && i < it.children.size(); ++i) {
    if (it.children[i]->kind == SymKind::kIterator) continue;
    failure = "iterator over " + describe(*it.children[i]);
    failure_step = value->born;
    return -1;
  }
  if (it.kind == IterKind::kSet)
    return all({it.children[0]}, &made.args) ? add(std::move(made)) : -1;
  if (!all(it.children, &made.args)) return -1;
  return add(std::move(made));
}

int ExitBuilder::function(const SymRef& value) {
  const SymFunction& function = *value->function;
  Recipe made{RecipeKind::kFunction};
  made.object = function.code;
  SymRef name = function.qualified_name ? make_const(function.qualified_name) : nullptr;
  const SymRef parts[] = {x_.heap().globals_of(function),
                          name,
                          function.defaults,
                          function.kwdefaults,
                          function.annotations,
                          function.closure};
  for (const SymRef& part : parts) {
    const int index = part ? recipe(part) : -1;
    if (part && index < 0) return -1;
    made.args.push_back(index);
  }
  return add(std::move(made));
}

// The object first and its attributes as effects, so that objects may refer to one another.
int ExitBuilder::instance(const SymRef& value) {
  PyTypeObject* type = type_of(*value);
  if (is_partial(value)) {
    Recipe made{RecipeKind::kPartial};
    made.object = value->cls;
    std::vector<SymRef> parts;
    for (const auto& [name, part] : value->attributes) parts.push_back(part);
    return all(parts, &made.args) ? add(std::move(made)) : -1;
  }
  if (is_exception_type(type) || type == &PyTraceBack_Type) {
    failure = is_exception_type(type) ? "an exception" : "a traceback";
    failure_step = value->born;
    return -1;
  }
  Recipe made{RecipeKind::kInstance};
  made.object = value->cls;
  instances_.emplace_back(value, static_cast<int>(capture_->recipes.size()));
  return add(std::move(made));
}

bool ExitBuilder::fill_instances() {
  while (!instances_.empty()) {
    const auto [value, index] = instances_.back();
    instances_.pop_back();
    if (!value->items.empty()) {
      Effect put{EffectKind::kDictItems, index, {}, {}};
      for (const auto& [key, item] : value->items[0]->entries)
        if (!all({key, item}, &put.values)) return false;
      capture_->effects.push_back(std::move(put));
    }
    for (const auto& [name, attribute] : value->attributes) {
      Effect set{EffectKind::kSetAttr, index, text_object(name), {}};
      if (!all({attribute}, &set.values)) return false;
      capture_->effects.push_back(std::move(set));
    }
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
    if (!value) continue;  // never touched
    if (value->is_null()) {
      if (x_.heap().slots().locals[i]) capture_->locals.push_back({slot, -1});
      continue;
    }
    if (value->source != kNoSource) {
      const Source& source = x_.heap().guards().source(value->source);
      if (source.kind == LoadKind::kLocal && source.index == slot) continue;  // unchanged
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

// What the frame held at the beginning and nothing the region leaves behind refers to.
void ExitBuilder::note_dropped() {
  const SymFrame& frame = x_.root();
  std::set<std::pair<LoadKind, int>> kept;
  for (const Recipe& recipe : capture_->recipes) {
    if (recipe.kind != RecipeKind::kRegister) continue;
    const Source& source = x_.heap().guards().source(recipe.index);
    kept.emplace(source.kind, source.index);
  }
  for (size_t i = 0; i < frame.slots.size(); ++i) {
    if (!frame.slots[i] || !x_.heap().slots().locals[i]) continue;
    const SourceId id = frame.slots[i]->source;
    const Source* now = id == kNoSource ? nullptr : &x_.heap().guards().source(id);
    const int slot = static_cast<int>(i);
    if (!(now && now->kind == LoadKind::kLocal && now->index == slot) &&
        !kept.count({LoadKind::kLocal, slot}))
      capture_->dropped_locals.push_back(slot);
  }
  for (int i = 0; i < x_.start_depth(); ++i)
    if (!kept.count({LoadKind::kStack, i})) capture_->dropped_stack.push_back(i);
}

bool ExitBuilder::effects_of(const SymRef& value) {
  const int target = recipe(value);
  if (target < 0) return false;
  Effect effect{EffectKind::kListItems, target, {}, {}};
  switch (value->kind) {
    case SymKind::kLazy: effect.kind = EffectKind::kListAppend; [[fallthrough]];
    case SymKind::kList:
      if (!all(value->items, &effect.values)) return false;
      break;
    case SymKind::kDict:
      effect.kind = EffectKind::kDictItems;
      for (const auto& [key, item] : value->entries)
        if (!all({key, item}, &effect.values)) return false;
      break;
    case SymKind::kSet: {
      Ref table = clone_set(value->shadow.get());
      effect.kind = EffectKind::kSetItems;
      effect.name = table ? Ref::steal(PyTuple_Pack(1, table.get())) : Ref();
      break;
    }
    case SymKind::kCell:
      effect.kind = EffectKind::kCellContents;
      if (!all(value->items, &effect.values)) return false;
      break;
    case SymKind::kObject:
      effect.kind = EffectKind::kSetAttr;
      for (const std::string& name : value->written) {
        for (const auto& [attribute, written] : value->attributes) {
          if (attribute != name) continue;
          Effect set = effect;
          set.name = text_object(name);
          if (written->is_null())
            set.kind = EffectKind::kDelAttr;
          else if (!all({written}, &set.values))
            return false;
          capture_->effects.push_back(std::move(set));
        }
      }
      return true;
    default: failure = describe(*value); return false;
  }
  capture_->effects.push_back(std::move(effect));
  return true;
}

bool ExitBuilder::effects() {
  for (const Heap::Printed& line : x_.heap().printed()) {
    Effect print{EffectKind::kPrint, -1, line.keywords, {}};
    if (!all(line.values, &print.values)) return false;
    capture_->effects.push_back(std::move(print));
  }
  for (const Heap::GlobalWrite& write : x_.heap().global_writes()) {
    Recipe load{RecipeKind::kRegister};
    load.index = write.source;
    if (write.source == kNoSource)
      load.index =
          x_.heap().guards().add_source(LoadKind::kGlobalsDict, kNoSource, 0, {}, "globals()");
    Effect set{EffectKind::kSetGlobal, add(std::move(load)), write.name, {}};
    if (!all({write.value}, &set.values)) return false;
    capture_->effects.push_back(std::move(set));
  }
  for (const SymRef& value : x_.heap().mutables())
    if (value->changed && !effects_of(value)) return false;
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
  for (const Heap::TensorWrite& write : x_.heap().tensor_writes()) {
    // Not the output of a view or of something else's: its memory becomes the tensor's.
    const SymRef value = make_tensor(write.tensor->tensor);
    if (const Node& last = graph.producer(value->tensor.id());
        !write.recorded && !write.replaces && last.kind == NodeKind::kOp && !last.is_control() &&
        std::string_view(last.op->name) == "stop_gradient")
      value->tensor = x_.sink().value(last.inputs[0]);
    const Node& made = graph.producer(value->tensor.id());
    if (made.kind == NodeKind::kOp && (made.is_control() || made.op->has(kView))) {
      SymRef copied;
      if (!x_.apply(op_copy, std::span(&value->tensor, 1), {}, &copied)) return false;
      value->tensor = copied->tensor;
    }
    Effect effect{write.replaces ? EffectKind::kReplaceTensor : EffectKind::kWriteTensor,
                  recipe(write.tensor),
                  {},
                  {},
                  write.same,
                  is_state(tensor_of(write.tensor->object.get())),
                  write.recorded};
    written_apart_ = !write.recorded;
    if (!all({value}, &effect.values)) return false;
    written_apart_ = false;
    capture_->effects.push_back(std::move(effect));
  }
  return true;
}

// A tensor that was made inside a transform and not cut off from it has a history in eager code,
// which a region's outputs have not.
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

// What nobody uses is computed all the same where it may raise, but once.
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
  if (!demanded() || !frame_state() || !effects() || !fill_instances() || !tensor_writes() ||
      !gradients())
    return false;
  if (const int step = seen_after_write(x_.heap(), *x_.sink().graph()); step >= 0) {
    failure = "a tensor that a view or branch holds";
    reason = BreakReason::kTensorWrite;
    failure_step = step;
    return false;
  }
  assumptions();
  note_dropped();
  if (x_.heap().guard_aliasing()) return true;
  failure = "a dict that is somebody's namespace";
  return false;
}

}  // namespace msjit
