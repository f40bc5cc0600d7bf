#include "graph/control.h"

namespace msjit {
namespace {

ErrorPtr bad_node(const Graph& graph, size_t index, std::string_view what) {
  return internal_error("[verify] node {} of {}: {}: {}", index, graph.name, what,
                        print_node(graph, graph.nodes[index]));
}

// Ids in range and defined by earlier nodes; outputs owned by this node.
Status verify_wiring(const Graph& graph, size_t index) {
  const Node& node = graph.nodes[index];
  auto num_values = static_cast<ValueId>(graph.values.size());
  if (node.first_output < 0 || node.num_outputs < 1 ||
      node.first_output > num_values - node.num_outputs)
    return internal_error("[verify] node {} of {}: outputs out of range", index, graph.name);
  for (ValueId id : node.inputs) {
    if (id < -1 || id >= num_values)
      return internal_error("[verify] node {} of {}: input %{} out of range", index, graph.name,
                            id);
    if (id >= 0 && graph.values[id].node >= static_cast<int32_t>(index))
      return bad_node(graph, index, "an input is defined later");
  }
  for (int32_t i = 0; i < node.num_outputs; ++i)
    if (graph.values[node.first_output + i].node != static_cast<int32_t>(index))
      return bad_node(graph, index, "an output is owned by another node");
  return {};
}

Status verify_op(const Graph& graph, size_t index) {
  const Node& node = graph.nodes[index];
  if (node.is_control()) {
    if (Status status = verify_control(graph, node); !status.ok())
      return bad_node(graph, index, status.error().message);
    return {};
  }
  if (!node.op || !node.op->infer) return bad_node(graph, index, "no shape rule");
  if (static_cast<int>(node.attrs.size()) != node.op->signature.num_attrs)
    return bad_node(graph, index, "wrong number of attributes");
  if (!node.op->signature.variadic &&
      static_cast<int>(node.inputs.size()) != node.op->signature.num_tensors)
    return bad_node(graph, index, "wrong number of inputs");
  InlineVec<const Meta*, 6> metas;
  for (ValueId id : node.inputs) metas.push_back(id < 0 ? nullptr : &graph.meta(id));
  InferCtx infer(*node.op, metas, node.attrs);
  if (Status status = infer_outputs(infer); !status.ok())
    return bad_node(graph, index, status.error().message);
  if (static_cast<int32_t>(infer.outputs.size()) != node.num_outputs)
    return bad_node(graph, index, "wrong number of outputs");
  for (int32_t i = 0; i < node.num_outputs; ++i) {
    const Meta& meta = graph.meta(node.first_output + i);
    if (meta == infer.outputs[i]) continue;
    return bad_node(
        graph, index,
        fmt::format("output {} is {}, the rule says {}", i, meta.str(), infer.outputs[i].str()));
  }
  return {};
}

Status verify_input(const Graph& graph, size_t index) {
  const Node& node = graph.nodes[index];
  if (node.input_index < 0 || node.input_index >= static_cast<int32_t>(graph.inputs.size()) ||
      graph.inputs[node.input_index] != node.first_output)
    return bad_node(graph, index, "not listed among the inputs");
  return {};
}

}  // namespace

Status verify(const Graph& graph) {
  size_t num_inputs = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    MSJIT_OK(verify_wiring(graph, i));
    if (node.kind == NodeKind::kOp) MSJIT_OK(verify_op(graph, i));
    if (node.kind == NodeKind::kInput) {
      ++num_inputs;
      MSJIT_OK(verify_input(graph, i));
    }
    if (node.kind == NodeKind::kConstant &&
        (!node.constant || !(node.constant.meta() == graph.meta(node.first_output))))
      return bad_node(graph, i, "the constant's meta differs");
  }
  if (num_inputs != graph.inputs.size())
    return internal_error("[verify] {}: an input has no node", graph.name);
  for (ValueId id : graph.outputs)
    if (id < 0 || id >= static_cast<ValueId>(graph.values.size()))
      return internal_error("[verify] {}: output %{} out of range", graph.name, id);
  return {};
}

}  // namespace msjit
