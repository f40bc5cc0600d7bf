// One reverse walk over the tape: the nodes it visits (backward.cc), and their gradients
// (backward_nodes.cc).
#pragma once

#include <unordered_map>
#include <vector>

#include "kernels/eager/node_index.h"
#include "kernels/eager/tape_node.h"

namespace msjit {

using Grads = InlineVec<Tensor, 1>;

struct NodeState {
  TapeNode* node;
  bool needed = false;  // leads to something whose gradient is wanted
  bool kept = false;    // the gradients of its outputs are wanted themselves
  Grads grads;          // one per output; null = none arrived
};

class TapeWalk {
 public:
  explicit TapeWalk(bool create_graph) : create_graph_(create_graph) {}
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

// Adds a gradient to those that have arrived.
Status add_gradient(Tensor& slot, Tensor grad);

}  // namespace msjit
