// The reverse walk over the tape: gradients() and backward().
#include <algorithm>
#include <cstring>

#include "kernels/device/device_tensors.h"
#include "kernels/eager/eager_sink.h"
#include "kernels/eager/tape_walk.h"
#include "kernels/eager/unlocked.h"

namespace msjit {
namespace {

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

}  // namespace

Status TapeWalk::add_root(const Tensor& output, const Tensor& seed) {
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
    return add_gradient(state(meta->node.get()).grads[meta->output_index], grad);
  auto leaf = leaves_.find(leaf_of(output).impl());
  if (leaf != leaves_.end()) return add_gradient(leaf->second, grad);
  return {};
}

void TapeWalk::want(const Tensor& t) {
  const AutogradMeta* meta = t.autograd();
  if (!meta || !meta->node) {
    leaves_.try_emplace(leaf_of(t).impl());
    return;
  }
  collect(meta->node.get());
  state(meta->node.get()).kept = true;
}

// Depth-first with an explicit stack; appends each node after the producers of its inputs.
void TapeWalk::collect(TapeNode* root) {
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
void TapeWalk::place(uint32_t root, std::vector<bool>* placed, std::vector<uint32_t>* order) {
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
void TapeWalk::put_in_order() {
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

bool TapeWalk::edge_needed(const SavedInput& input) {
  if (!input.wanted) return false;
  if (!input.node) return all_leaves_ || leaves_.count(input.leaf.impl()) != 0;
  const NodeState& producer = state(input.node.get());
  return producer.needed || producer.kept;
}

void TapeWalk::mark_needed() {
  for (NodeState& s : states_) {
    for (const SavedInput& input : s.node->inputs)
      if (edge_needed(input)) s.needed = true;
  }
}

Status TapeWalk::run() {
  Status status;
  without_lock([&] { status = walk(); });
  return status;
}

Status TapeWalk::walk() {
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

Tensor TapeWalk::result(const Tensor& t) {
  const AutogradMeta* meta = t.autograd();
  if (meta && meta->node) return state(meta->node.get()).grads[meta->output_index];
  return leaves_[leaf_of(t).impl()];
}

Result<std::vector<Tensor>> gradients(std::span<const Tensor> outputs,
                                      std::span<const Tensor> seeds, std::span<const Tensor> wrt,
                                      bool create_graph) {
  TapeWalk pass(create_graph);
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
  TapeWalk pass(true);
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
  TapeWalk pass(create_graph);
  pass.want_all_leaves();
  if (!output.autograd()->node) pass.want(output);
  MSJIT_OK(pass.add_root(output, seed));
  MSJIT_OK(pass.run());
  GradScope scope(create_graph);
  for (auto& [impl, grad] : pass.leaves()) {
    if (!grad) continue;
    Tensor leaf = Tensor::share(impl);
    Tensor total = grad_of(leaf);
    MSJIT_OK(add_gradient(total, grad));
    set_grad_of(leaf, std::move(total));
  }
  return {};
}

}  // namespace msjit
