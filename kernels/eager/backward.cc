// The reverse walk over the tape: gradients() and backward().
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "kernels/core/gradients.h"
#include "kernels/device/device_tensors.h"
#include "kernels/eager/eager_sink.h"
#include "kernels/eager/node_index.h"
#include "kernels/eager/tape_node.h"
#include "kernels/eager/unlocked.h"

namespace msjit {

extern const OpDef op_add;

namespace {

using Grads = InlineVec<Tensor, 1>;

struct NodeState {
  TapeNode* node;
  bool needed = false;  // leads to something whose gradient is wanted
  bool kept = false;    // the gradients of its outputs are wanted themselves
  Grads grads;          // one per output; null = none arrived
};

Result<Tensor> add_tensors(const Tensor& a, const Tensor& b) {
  Tensor pair[2] = {a, b};
  TensorVec out;
  MSJIT_OK(run_op(op_add, pair, {}, &out));
  return std::move(out[0]);
}

Status accumulate(Tensor& slot, Tensor grad) {
  if (!slot) {
    slot = std::move(grad);
    return {};
  }
  MSJIT_TRY(slot, add_tensors(slot, grad));
  return {};
}

Result<Tensor> filled(const Meta& meta, double value) {
  if (!meta.device.is_host()) {
    MSJIT_TRY(const Tensor here, filled(Meta(meta.dtype, false, meta.shape), value));
    return devices::to_device(here, meta.device);
  }
  MSJIT_TRY(Tensor out, Tensor::empty(Meta{meta.dtype, false, meta.shape}));
  if (value == 0) {
    std::memset(out.data(), 0, static_cast<size_t>(out.nbytes()));
    return out;
  }
  dispatch_any_dtype(meta.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(out.data_as<T>(), out.numel(), static_cast<T>(static_cast<float>(value)));
  });
  return out;
}

Tensor with_autograd(const Tensor& value, AutogradMeta meta) {
  Tensor header = value.detach();
  header.impl()->autograd = new (pool_allocate(sizeof(AutogradMeta))) AutogradMeta(std::move(meta));
  return header;
}

// A header on `value` with the history (node, index).
Tensor with_history(const Tensor& value, TapeNode* node, int index, uint64_t version) {
  return with_autograd(value, {.node = node->share(), .output_index = index, .version = version});
}

class BackwardPass {
 public:
  explicit BackwardPass(bool create_graph) : create_graph_(create_graph) {}
  Status add_root(const Tensor& output, const Tensor& seed);
  void want(const Tensor& t);
  void want_all_leaves() { all_leaves_ = true; }
  Status run();   // without the interpreter's lock, which the caller holds
  Status walk();  // which the caller does not hold
  Tensor result(const Tensor& t);
  std::unordered_map<TensorImpl*, Tensor>& leaves() { return leaves_; }

 private:
  NodeState& state(TapeNode* node) { return states_[index_[node]]; }
  void collect(TapeNode* root);
  void place(uint32_t root, std::vector<bool>* placed, std::vector<uint32_t>* order);
  void put_in_order();
  void mark_needed();
  Status run_node(NodeState& state);
  Status unpack(const TapeNode& node, std::span<Val> inputs, std::span<Val> outputs);
  Status run_op_node(NodeState& state, std::vector<Tensor>* grads);
  Status run_custom_node(NodeState& state, std::vector<Tensor>* grads);
  Status deliver(const TapeNode& node, std::vector<Tensor>& grads);
  bool edge_needed(const SavedInput& input);
  Tensor input_handle(const SavedInput& input) const;
  Tensor output_handle(TapeNode* node, int i) const;

  bool create_graph_;
  bool all_leaves_ = false;
  std::vector<NodeState> states_;  // inputs before users
  NodeIndex index_;
  std::unordered_map<TensorImpl*, Tensor> leaves_;  // wanted leaves and their gradients so far
};

Status BackwardPass::add_root(const Tensor& output, const Tensor& seed) {
  if (!output) return {};
  const AutogradMeta* meta = output.autograd();
  if (meta && meta->node) collect(meta->node.get());
  if (seed && !(seed.shape() == output.shape())) {
    return value_error("[grad] the seed must have the shape of the output, got {}, expected {}",
                       seed.shape().str(), output.shape().str());
  }
  Tensor grad = seed ? stand_in(seed) : Tensor();
  if (!grad) {
    MSJIT_TRY(grad, filled(output.meta(), 1));
  }
  if (meta && meta->node)
    return accumulate(state(meta->node.get()).grads[meta->output_index], grad);
  auto leaf = leaves_.find(leaf_of(output).impl());
  if (leaf != leaves_.end()) return accumulate(leaf->second, grad);
  return {};
}

void BackwardPass::want(const Tensor& t) {
  const AutogradMeta* meta = t.autograd();
  if (!meta || !meta->node) {
    leaves_.try_emplace(leaf_of(t).impl());
    return;
  }
  collect(meta->node.get());
  state(meta->node.get()).kept = true;
}

// Depth-first with an explicit stack; appends each node after the producers of its inputs.
void BackwardPass::collect(TapeNode* root) {
  if (!index_.insert(root)) return;
  struct Visit {
    TapeNode* node;
    uint32_t next_input;
  };
  std::vector<Visit> stack{{root, 0}};
  while (!stack.empty()) {
    Visit& top = stack.back();
    TapeNode* node = top.node;
    if (top.next_input < node->inputs.size()) {
      TapeNode* producer = node->inputs[top.next_input++].node.get();
      if (producer && index_.insert(producer)) stack.push_back({producer, 0});
      continue;
    }
    index_[node] = static_cast<uint32_t>(states_.size());
    NodeState& fresh = states_.emplace_back();
    fresh.node = node;
    fresh.grads.resize(node->outputs.size());
    stack.pop_back();
  }
}

// The nodes that `root` depends on and are not placed yet, then `root`: each after its producers.
void BackwardPass::place(uint32_t root, std::vector<bool>* placed, std::vector<uint32_t>* order) {
  std::vector<uint32_t> stack{root};
  while (!stack.empty()) {
    const uint32_t at = stack.back();
    const size_t depth = stack.size();
    for (const SavedInput& input : states_[at].node->inputs) {
      if ((*placed)[at] || !input.node) continue;
      const uint32_t producer = index_[input.node.get()];
      if (!(*placed)[producer]) stack.push_back(producer);
    }
    if (stack.size() > depth) continue;
    stack.pop_back();
    if ((*placed)[at]) continue;
    (*placed)[at] = true;
    order->push_back(at);
  }
}

// Moves the ordered steps (ordered_steps.h) if they do not stand in their order. They do not depend
// on later ones, so each may come with its producers, and then the next.
void BackwardPass::put_in_order() {
  std::vector<uint32_t> steps;
  for (uint32_t i = 0; i < states_.size(); ++i)
    if (states_[i].node->order) steps.push_back(i);
  const auto order_of = [&](uint32_t i) { return states_[i].node->order; };
  if (std::ranges::is_sorted(steps, {}, order_of)) [[likely]]
    return;
  std::ranges::sort(steps, {}, order_of);
  std::vector<bool> placed(states_.size());
  std::vector<uint32_t> order;
  for (const uint32_t step : steps) place(step, &placed, &order);
  for (uint32_t i = 0; i < states_.size(); ++i)
    if (!placed[i]) order.push_back(i);  // these stand in order
  std::vector<NodeState> moved;
  for (const uint32_t i : order) {
    index_[states_[i].node] = static_cast<uint32_t>(moved.size());
    moved.push_back(std::move(states_[i]));
  }
  states_ = std::move(moved);
}

bool BackwardPass::edge_needed(const SavedInput& input) {
  if (!input.wanted) return false;
  if (!input.node) return all_leaves_ || leaves_.count(input.leaf.impl()) != 0;
  const NodeState& producer = state(input.node.get());
  return producer.needed || producer.kept;
}

void BackwardPass::mark_needed() {
  for (NodeState& s : states_) {
    for (const SavedInput& input : s.node->inputs)
      if (edge_needed(input)) s.needed = true;
  }
}

Status BackwardPass::run() {
  Status status;
  without_lock([&] { status = walk(); });
  return status;
}

Status BackwardPass::walk() {
  GradScope scope(create_graph_);
  put_in_order();
  mark_needed();
  for (size_t i = states_.size(); i-- > 0;) {
    NodeState& s = states_[i];
    bool arrived =
        std::any_of(s.grads.begin(), s.grads.end(), [](const Tensor& g) { return bool(g); });
    if (s.needed && arrived) MSJIT_OK(run_node(s));
    if (!s.kept) s.grads = {};
  }
  return {};
}

Status BackwardPass::run_node(NodeState& s) {
  std::vector<Tensor> grads(s.node->inputs.size());
  if (s.node->op) {
    MSJIT_OK(run_op_node(s, &grads));
  } else if (s.node->custom) {
    MSJIT_OK(run_custom_node(s, &grads));
  } else {
    grads[0] = s.grads[0];
  }
  return deliver(*s.node, grads);
}

Tensor BackwardPass::input_handle(const SavedInput& input) const {
  const Tensor& value = saved_value(input);
  if (!create_graph_ || !input.wanted) return value;
  if (!input.node) return with_autograd(value, {.requires_grad = true, .leaf = input.leaf});
  return with_history(value, input.node.get(), input.output_index, input.version);
}

Tensor BackwardPass::output_handle(TapeNode* node, int i) const {
  const SavedOutput& output = node->outputs[i];
  if (!create_graph_ || !output.value) return output.value;
  if (node->op && !carries_gradient(*node->op, static_cast<size_t>(i), output.value.dtype()))
    return output.value;
  return with_history(output.value, node, i, output.version);
}

Status modified_error(const TapeNode& node, uint64_t got, uint64_t expected) {
  return runtime_error(
      "[backward] a tensor that {} needs for its gradient was modified in place, got version {}, "
      "expected {}",
      node.name(), got, expected);
}

bool is_stale(const Tensor& value, uint64_t version) {
  return value && value.storage()->version != version;
}

// The first saved tensor that is needed and was overwritten since; success when there is none.
Status check_versions(const TapeNode& node, const BackwardRequest& request) {
  const CustomBackward* custom = node.custom.get();
  for (uint32_t i = 0; i < node.inputs.size(); ++i) {
    const SavedInput& input = node.inputs[i];
    const Tensor& value = saved_value(input);
    if (is_stale(value, input.version) && (!custom || custom->reads_input(i, request)))
      return modified_error(node, value.storage()->version, input.version);
  }
  for (uint32_t i = 0; i < node.outputs.size(); ++i) {
    const SavedOutput& output = node.outputs[i];
    if (is_stale(output.value, output.version) && (!custom || custom->reads_output(i, request)))
      return modified_error(node, output.value.storage()->version, output.version);
  }
  return {};
}

Val saved_val(OpSink* sink, Tensor handle, uint64_t version) {
  if (!handle) return Val();
  return is_stale(handle, version) ? Val::stale(sink, std::move(handle))
                                   : Val(sink, std::move(handle));
}

Status unpack_values(OpSink* sink, std::span<const std::shared_ptr<PackedTensor>> packed,
                     std::span<Val> values) {
  for (size_t i = 0; i < packed.size(); ++i) {
    if (!packed[i]) continue;
    MSJIT_TRY(Tensor tensor, unpack_tensor(*packed[i], values[i].meta()));
    values[i] = Val(sink, std::move(tensor));
  }
  return {};
}

// Replaces saved values by what the program makes of what it packed.
Status BackwardPass::unpack(const TapeNode& node, std::span<Val> inputs, std::span<Val> outputs) {
  if (create_graph_)
    return not_implemented_error(
        "[saved_tensors_hooks] a gradient of a gradient through {}, got a tensor that a hook has "
        "packed, expected one gradient: what is unpacked has no history",
        node.name());
  MSJIT_OK(unpack_values(&eager_sink(), node.packed->inputs, inputs));
  return unpack_values(&eager_sink(), node.packed->outputs, outputs);
}

Status BackwardPass::run_op_node(NodeState& s, std::vector<Tensor>* grads) {
  TapeNode* node = s.node;
  if (node->op->has(kNoGrad)) return {};
  if (!node->op->vjp)
    return not_implemented_error("[backward] {} has no gradient rule", node->op->name);
  EagerSink& sink = eager_sink();
  InlineVec<Val, 3> inputs, outputs, output_grads;
  InlineVec<bool, 8> wanted;
  for (const SavedInput& input : node->inputs) {
    inputs.push_back(saved_val(&sink, input_handle(input), input.version));
    wanted.push_back(edge_needed(input));
  }
  for (uint32_t i = 0; i < node->outputs.size(); ++i) {
    outputs.push_back(
        saved_val(&sink, output_handle(node, static_cast<int>(i)), node->outputs[i].version));
    output_grads.push_back(s.grads[i] ? Val(&sink, s.grads[i]) : Val());
  }
  if (node->packed) MSJIT_OK(unpack(*node, inputs, outputs));
  Vjp vjp{&sink, node->op, node->attrs, inputs, outputs, output_grads, wanted, Vals(inputs.size())};
  const TableScope tables(vjp.sink, vjp.inputs);
  node->op->vjp(vjp);
  if (Status status = sink.take_error(); !status.ok()) {
    MSJIT_OK(check_versions(*node, {}));
    return status;
  }
  for (size_t i = 0; i < grads->size(); ++i)
    if (wanted[i] && vjp.input_grads[i]) (*grads)[i] = vjp.input_grads[i].tensor();
  return {};
}

Status BackwardPass::run_custom_node(NodeState& s, std::vector<Tensor>* grads) {
  TapeNode* node = s.node;
  std::vector<Tensor> inputs, outputs;
  InlineVec<bool, 8> wanted;
  for (const SavedInput& input : node->inputs) {
    inputs.push_back(input_handle(input));
    wanted.push_back(edge_needed(input));
  }
  for (uint32_t i = 0; i < node->outputs.size(); ++i)
    outputs.push_back(output_handle(node, static_cast<int>(i)));
  const BackwardRequest request{s.grads, wanted, create_graph_};
  MSJIT_OK(check_versions(*node, request));
  MSJIT_TRY(*grads, node->custom->run(inputs, outputs, request));
  if (grads->size() != inputs.size()) {
    return value_error("[backward] number of gradients returned by {}, got {}, expected {}",
                       node->name(), grads->size(), inputs.size());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& grad = (*grads)[i];
    if (!wanted[i] || !grad || grad.shape() == inputs[i].shape()) continue;
    return value_error("[backward] gradient {} of {} has the wrong shape, got {}, expected {}", i,
                       node->name(), grad.shape().str(), inputs[i].shape().str());
  }
  return {};
}

Status BackwardPass::deliver(const TapeNode& node, std::vector<Tensor>& grads) {
  for (size_t i = 0; i < grads.size(); ++i) {
    const SavedInput& input = node.inputs[i];
    if (!grads[i] || !edge_needed(input)) continue;
    if (input.node) {
      MSJIT_OK(accumulate(state(input.node.get()).grads[input.output_index], std::move(grads[i])));
    } else {
      MSJIT_OK(accumulate(leaves_[input.leaf.impl()], std::move(grads[i])));
    }
  }
  return {};
}

Tensor BackwardPass::result(const Tensor& t) {
  const AutogradMeta* meta = t.autograd();
  if (meta && meta->node) return state(meta->node.get()).grads[meta->output_index];
  return leaves_[leaf_of(t).impl()];
}

}  // namespace

Result<std::vector<Tensor>> gradients(std::span<const Tensor> outputs,
                                      std::span<const Tensor> seeds, std::span<const Tensor> wrt,
                                      bool create_graph) {
  BackwardPass pass(create_graph);
  for (const Tensor& t : wrt) pass.want(t);
  for (size_t i = 0; i < outputs.size(); ++i)
    MSJIT_OK(pass.add_root(outputs[i], i < seeds.size() ? seeds[i] : Tensor()));
  MSJIT_OK(pass.run());
  std::vector<Tensor> results;
  for (const Tensor& t : wrt) {
    Tensor grad = pass.result(t);
    if (!grad) {
      MSJIT_TRY(grad, filled(t.meta(), 0));
    }
    results.push_back(std::move(grad));
  }
  return results;
}

Result<std::vector<Tensor>> inner_gradients(std::span<const Tensor> outputs,
                                            std::span<const Tensor> seeds,
                                            std::span<const Tensor> wrt) {
  BackwardPass pass(true);
  for (const Tensor& t : wrt) pass.want(t);
  for (size_t i = 0; i < outputs.size(); ++i) MSJIT_OK(pass.add_root(outputs[i], seeds[i]));
  MSJIT_OK(pass.walk());
  std::vector<Tensor> results;
  for (const Tensor& t : wrt) results.push_back(pass.result(t));
  return results;
}

Status backward(const Tensor& output, const Tensor& seed, bool create_graph) {
  if (!output || !requires_grad(output))
    return runtime_error("[backward] the tensor has no gradient history");
  BackwardPass pass(create_graph);
  pass.want_all_leaves();
  if (!output.autograd()->node) pass.want(output);
  MSJIT_OK(pass.add_root(output, seed));
  MSJIT_OK(pass.run());
  GradScope scope(create_graph);
  for (auto& [impl, grad] : pass.leaves()) {
    if (!grad) continue;
    Tensor leaf = Tensor::share(impl);
    Tensor total = grad_of(leaf);
    MSJIT_OK(accumulate(total, grad));
    set_grad_of(leaf, std::move(total));
  }
  return {};
}

}  // namespace msjit
