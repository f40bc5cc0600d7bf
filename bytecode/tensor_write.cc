#include "bytecode/tensor_write.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "bytecode/builtins/models.h"
#include "bytecode/shared_tensors.h"
#include "graph/control.h"
#include "graph/sharing.h"
#include "guards/py/objects.h"
#include "kernels/core/registry.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/eager/tape.h"

namespace msjit {

extern const OpDef op_copy;

namespace {

// Whether a value is an input of a view, which shows later writes, or of a branch or loop that may
// return the tensor itself.
bool is_looked_into(const Graph& graph, ValueId id) {
  for (const Node& node : graph.nodes)
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] == id && may_share_input(node, i)) return true;
  return false;
}

// Whether a node makes new memory.
bool gives_own_memory(const Node& node) {
  return node.kind == NodeKind::kOp && !node.is_control() && !node.op->has(kView);
}

const Storage& memory_of(const SymRef& value) { return tensor_of(value->object.get()).storage(); }

// The reason why a tensor cannot be written inside a region; null when there is none.
const char* obstacle(Executor& x, const SymRef& target, bool replaces, bool recorded) {
  if (target->source == kNoSource) return "a tensor made here";
  if (target->joined || (x.is_forked_now() && (replaces || recorded)))
    return "a tensor under a branch";
  const Tensor& tensor = tensor_of(target->object.get());
  if (is_tracked(tensor) || shares_tracked(target->object.get()))
    return "a tensor whose gradient is recorded";
  if (tensor.storage()->read_only) return "read-only memory";
  if (layout::overlaps_itself(tensor)) return "a broadcast tensor";
  // After a write in place, set_data would leave that write in the old memory, which others may
  // share. And all writes must agree on whether gradients are recorded.
  for (const Heap::TensorWrite& write : x.heap().tensor_writes())
    if (write.tensor->object == target->object &&
        ((replaces && !write.replaces) || write.recorded != recorded))
      return "a tensor that was written in place";
  for (const SymRef& other : x.heap().tensors())
    if (other->object.get() != target->object.get() &&
        memory_of(other).get() == memory_of(target).get())
      return "memory that another tensor shares";
  return nullptr;
}

// Gives the new value to every SymValue of this tensor. That they are one object is guarded where
// the tensor is written at the exit.
void set_value(Executor& x, const SymRef& target, const Val& value) {
  const auto made = static_cast<int32_t>(x.sink().graph()->nodes.size());
  for (const SymRef& other : x.heap().tensors()) {
    if (!other->is_tensor() || other->object.get() != target->object.get()) continue;
    if (other != target) x.heap().note_same_tensor(target, other);
    x.heap().overwritten().push_back({other->tensor.id(), made, x.root_step()});
    if (x.is_forked_now())
      x.renew(other, value);
    else
      other->tensor = value;
    other->changed = true;
  }
}

}  // namespace

bool makes_memory(const Graph& graph, const Node& node) {
  const OpDef& op = *node.op;
  const std::string_view name(op.name);
  if (op.has(kView) || name == "identity") return false;
  if (name == "cast")
    return graph.meta(node.inputs[0]).dtype != graph.meta(node.first_output).dtype;
  for (const char* known :
       {"zeros", "ones", "full", "zeros_like", "ones_like", "full_like", "arange", "eye", "matmul",
        "concat", "stack", "slice_update", "copy", "softmax", "log_softmax", "layer_norm",
        "layer_norm_stats", "batch_norm", "batch_norm_train"})
    if (name == known) return true;
  const bool kernel = op.host_kernel() && !op.composite;
  return op.has(kElementwise) || kernel;
}

static bool has_own_memory(Executor& x, const SymRef& tensor) {
  if (!tensor->is_tensor() || tensor->source != kNoSource || tensor->joined || tensor->object)
    return false;
  const ValueId id = tensor->tensor.id();
  if (x.was_handed_on(id)) return false;
  const Node& made = x.sink().graph()->producer(id);
  if (x.is_written(id)) return true;
  return made.kind == NodeKind::kOp && !made.is_control() && makes_memory(*x.sink().graph(), made);
}

// Whether the tensor has memory of its own that no other value shows which code may still use.
bool is_private(Executor& x, const SymRef& tensor) {
  if (!has_own_memory(x, tensor)) return false;
  std::vector<bool> marked(x.sink().graph()->values.size());
  for (const SymRef& other : x.live_tensors())
    if (other != tensor && other->tensor.sink() == &x.sink()) marked[other->tensor.id()] = true;
  mark_shared(*x.sink().graph(), &marked);
  return !marked[tensor->tensor.id()];
}

// Under a branch no view of the tensor may exist, because views are only checked behind the arms.
bool may_renew(Executor& x, const SymRef& tensor) {
  if (x.is_forked_now() && !x.tracks_writes()) return is_private(x, tensor);
  return has_own_memory(x, tensor) || SharedTensors(x).find(tensor);
}

bool may_carry(Executor& x, const SymRef& tensor) {
  if (tensor->source == kNoSource) return is_private(x, tensor);
  return tensor->object && !obstacle(x, tensor, false, false) &&
         !is_looked_into(*x.sink().graph(), tensor->tensor.id());
}

void carry(Executor& x, const SymRef& tensor, const Val& value) {
  x.renew(tensor, value);
  if (tensor->source == kNoSource) return;
  for (const SymRef& other : x.heap().tensors())
    if (other != tensor && other->is_tensor() && other->object.get() == tensor->object.get())
      x.renew(other, value);
}

bool renew_made(Executor& x, const SymRef& tensor, Val value, bool recorded) {
  // A write that is not recorded changes memory, so no backward pass may need the old value.
  const bool is_needed_before = x.gradient_scopes().any() && !recorded;
  if (is_private(x, tensor) && (x.is_forked_now() || !is_needed_before))
    return x.renew(tensor, std::move(value)), true;
  if (SharedTensors shared(x); shared.find(tensor)) return shared.write(std::move(value), recorded);
  if (!has_own_memory(x, tensor)) return false;
  const auto made = static_cast<int32_t>(x.sink().graph()->nodes.size());
  x.heap().overwritten().push_back({tensor->tensor.id(), made, x.root_step(), recorded});
  x.renew(tensor, std::move(value));
  return true;
}

bool renew_stored(Executor& x, const SymRef& tensor, Val value) {
  if (!x.may_write_in_loops(tensor)) return false;
  const bool recorded =
      !x.is_forked_now() && x.gradient_scopes().records(value, x.heap().parameters());
  return (recorded || may_renew(x, tensor)) && renew_made(x, tensor, std::move(value), recorded);
}

bool write_unrecorded(Executor& x, const char* what) {
  if (x.gradient_scopes().any())
    return x.fail(BreakReason::kTensorWrite, fmt::format("{} in a gradient transform", what));
  if (gradients_asked()) return x.fail_recorded(what);
  x.heap().guard_no_gradients();
  return true;
}

bool write_tensor(Executor& x, const SymRef& target, Val value, bool replaces, bool recorded) {
  if (!x.may_write_in_loops(target)) return false;
  const bool made = !replaces && may_renew(x, target);
  if (made && !recorded && !write_unrecorded(x, "a write to a tensor")) return false;
  if (const char* what = made ? nullptr : obstacle(x, target, replaces, recorded))
    return x.fail(BreakReason::kTensorWrite, what);
  const bool same = x.sizes().same_shape(value, target->tensor);
  if (!same) x.sizes().specialise_shape(target->tensor);
  value = words::cast(value, target->tensor.dtype());
  if (!same) value = words::broadcast_to(value, target->tensor.shape());
  if (Status status = x.sink().take_error(); !status.ok()) return x.fail_op(std::move(status));
  // The written value must be a graph value of its own. Otherwise a view of the source would pass
  // for a view of the target.
  if (const Graph& graph = *x.sink().graph();
      !gives_own_memory(graph.producer(value.id())) ||
      (made && (x.was_handed_on(value.id()) || !makes_memory(graph, graph.producer(value.id())))) ||
      (recorded && is_looked_into(graph, value.id()))) {
    SymRef copied;
    if (!x.apply(op_copy, std::span(&value, 1), {}, &copied)) return false;
    value = copied->tensor;
  }
  if (made)
    return renew_made(x, target, std::move(value)) ||
           x.fail(BreakReason::kTensorWrite, "a tensor made here");
  if (!recorded) {
    SymRef apart;
    if (!x.apply(*find_op("stop_gradient"), std::span(&value, 1), {}, &apart)) return false;
    value = apart->tensor;
  }
  if (!x.is_forked_now()) x.heap().note_tensor_write(target, replaces, recorded);
  x.heap().note_value(target, value);
  set_value(x, target, value);
  return true;
}

bool apply_in_place(Executor& x, const OpDef& op, std::span<const SymRef> tensors,
                    std::span<const Val> inputs, const Attrs& attrs, SymRef* out) {
  if (!op.update || !tensors[0] || !tensors[0]->is_tensor())
    return x.fail(BreakReason::kInPlace, op.name);
  std::vector<const Meta*> metas;
  for (const Val& input : inputs) metas.push_back(&x.sink().meta(input));
  InferCtx infer(op, metas, attrs);
  if (Status status = infer_outputs(infer); !status.ok()) return x.fail_op(std::move(status));
  Vals values = op.update(&x.sink(), inputs, attrs);
  if (Status status = x.sink().take_error(); !status.ok()) return x.fail_op(std::move(status));
  for (size_t i = 0; i < values.size(); ++i) {
    const SymRef& target = tensors[i];
    if (!target->is_tensor()) return x.fail(BreakReason::kInPlace, op.name);
    const bool recorded = !op.has(kNoGrad) && (target->source == kNoSource ||
                                               !is_state(tensor_of(target->object.get())));
    if (!write_tensor(x, target, values[i], false, recorded)) return false;
  }
  return *out = tensors[0], true;
}

int seen_after_write(std::span<const Heap::Overwritten> writes, size_t first, const Graph& graph,
                     const GradientScopes& scopes) {
  if (writes.size() == first) return -1;
  std::unordered_map<ValueId, const Heap::Overwritten*> until;
  for (const Heap::Overwritten& old : writes.subspan(first)) until.emplace(old.value, &old);
  for (int32_t n = 0; n < static_cast<int32_t>(graph.nodes.size()); ++n) {
    const Node& node = graph.nodes[n];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const auto found = until.find(node.inputs[i]);
      if (found == until.end() || (found->second->recorded && scopes.is_backward(n))) continue;
      if (n >= found->second->node) return found->second->step;
      if (may_share_input(node, i))
        for (int k = 0; k < node.num_outputs; ++k)
          until.emplace(node.first_output + k, found->second);
    }
  }
  for (ValueId id : graph.outputs)
    if (const auto found = until.find(id); found != until.end()) return found->second->step;
  return -1;
}

bool shows_overwritten(std::span<const Heap::Overwritten> writes, const Graph& graph, ValueId id) {
  if (writes.empty()) return false;
  std::vector<bool> marked(graph.values.size());
  marked[id] = true;
  mark_shared(graph, &marked);
  return std::ranges::any_of(writes, [&](const auto& write) { return marked[write.value]; });
}

bool shows_written(const Executor& x, const Heap& heap, const Graph& graph) {
  std::unordered_set<ValueId> shown;  // written values, their views, possibly equal tensors
  for (const Heap::TensorWrite& write : heap.tensor_writes()) {
    const ValueId id = write.tensor->tensor.id();
    if (x.was_handed_on(id)) return true;
    shown.insert(id);
  }
  if (shown.empty()) return false;
  const size_t count = shown.size();
  std::unordered_set<ValueId> others;
  for (const Node& node : graph.nodes)
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.kind != NodeKind::kOp || !shown.count(node.inputs[i]) || !may_share_input(node, i))
        continue;
      for (int k = 0; k < node.num_outputs; ++k)
        shown.insert(node.first_output + k), others.insert(node.first_output + k);
    }
  return shown.size() > count && std::any_of(graph.outputs.begin(), graph.outputs.end(),
                                             [&](ValueId id) { return others.count(id) != 0; });
}

namespace {

bool same_kind(const SymRef& a, const SymRef& b) {
  return a->tensor.shape() == b->tensor.shape() && a->tensor.dtype() == b->tensor.dtype();
}

bool two_tensors(Executor& x, const char* name, Args args, PyObject* names, size_t most) {
  if (names || args.size() < 2 || args.size() > most || !x.look(args[1]) || !args[1]->is_tensor())
    return x.fail(BreakReason::kOpArguments, name);
  return true;
}

// set_data(data, slice_shape=False)
bool set_data(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!two_tensors(x, "set_data", args, names, 3)) return false;
  if (args.size() == 3 && (!x.look(args[2]) || !args[2]->is_const(Py_False)))
    return x.fail(BreakReason::kOpArguments, "set_data");
  if (!(args[0]->tensor.shape() == args[1]->tensor.shape()))
    return x.fail(BreakReason::kRaises, "set_data of another shape");
  // The target takes over the memory, so nothing else may have it.
  if (!is_private(x, args[1]))
    return x.fail(BreakReason::kTensorWrite, "a tensor that shares memory");
  if (!write_tensor(x, args[0], args[1]->tensor, true, false)) return false;
  args[1]->joined = true;
  x.heap().note_taken(args[1]);
  return *out = args[0], true;
}

// assign_value(value)
bool assign_value(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!two_tensors(x, "assign_value", args, names, 2)) return false;
  if (!same_kind(args[0], args[1])) return x.fail(BreakReason::kInPlace, "assign_value");
  return write_tensor(x, args[0], args[1]->tensor, false, false) && (*out = args[0], true);
}

const ModelRow kWrites[] = {{"set_data", set_data}, {"assign_value", assign_value}};

}  // namespace

std::span<const ModelRow> tensor_write_methods() { return kWrites; }

}  // namespace msjit
