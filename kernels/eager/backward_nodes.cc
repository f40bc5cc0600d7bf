// The gradients of one node of the tape.
#include "kernels/core/gradients.h"
#include "kernels/eager/eager_sink.h"
#include "kernels/eager/tape_walk.h"

namespace msjit {

extern const OpDef op_add;

namespace {

Result<Tensor> add_tensors(const Tensor& a, const Tensor& b) {
  Tensor pair[2] = {a, b};
  TensorVec out;
  MSJIT_OK(run_op(op_add, pair, {}, &out));
  return std::move(out[0]);
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

}  // namespace

Status add_gradient(Tensor& slot, Tensor grad) {
  if (!slot) {
    slot = std::move(grad);
    return {};
  }
  MSJIT_TRY(slot, add_tensors(slot, grad));
  return {};
}

Status TapeWalk::run_node(NodeState& s) {
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

Tensor TapeWalk::input_handle(const SavedInput& input) const {
  const Tensor& value = saved_value(input);
  if (!create_graph_ || !input.wanted) return value;
  if (!input.node) return with_autograd(value, {.requires_grad = true, .leaf = input.leaf});
  return with_history(value, input.node.get(), input.output_index, input.version);
}

Tensor TapeWalk::output_handle(TapeNode* node, int i) const {
  const SavedOutput& output = node->outputs[i];
  if (!create_graph_ || !output.value) return output.value;
  if (node->op && !carries_gradient(*node->op, static_cast<size_t>(i), output.value.dtype()))
    return output.value;
  return with_history(output.value, node, i, output.version);
}

// Replaces saved values by what the program makes of what it packed.
Status TapeWalk::unpack(const TapeNode& node, std::span<Val> inputs, std::span<Val> outputs) {
  if (create_graph_)
    return not_implemented_error(
        "[saved_tensors_hooks] a gradient of a gradient through {}, got a tensor that a hook has "
        "packed, expected one gradient: what is unpacked has no history",
        node.name());
  MSJIT_OK(unpack_values(&eager_sink(), node.packed->inputs, inputs));
  return unpack_values(&eager_sink(), node.packed->outputs, outputs);
}

Status TapeWalk::run_op_node(NodeState& s, std::vector<Tensor>* grads) {
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

Status TapeWalk::run_custom_node(NodeState& s, std::vector<Tensor>* grads) {
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

Status TapeWalk::deliver(const TapeNode& node, std::vector<Tensor>& grads) {
  for (size_t i = 0; i < grads.size(); ++i) {
    const SavedInput& input = node.inputs[i];
    if (!grads[i] || !edge_needed(input)) continue;
    if (input.node) {
      MSJIT_OK(
          add_gradient(state(input.node.get()).grads[input.output_index], std::move(grads[i])));
    } else {
      MSJIT_OK(add_gradient(leaves_[input.leaf.impl()], std::move(grads[i])));
    }
  }
  return {};
}

}  // namespace msjit
