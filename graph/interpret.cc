// The reference evaluator. It runs a graph node by node on any sink; its results define what the
// graph means.
#include "graph/control.h"
#include "graph/scan_ops.h"
#include "kernels/eager/eager_sink.h"

namespace msjit {
namespace {

Status check_count(const Graph& graph, size_t count) {
  if (count == graph.inputs.size()) return {};
  return internal_error("[graph] number of inputs, got {}, expected {}", count,
                        graph.inputs.size());
}

// Index of the last node that reads each value; outputs are read after the last node.
std::vector<int32_t> last_uses(const Graph& graph) {
  std::vector<int32_t> last(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (ValueId id : graph.nodes[n].inputs)
      if (id >= 0) last[id] = static_cast<int32_t>(n);
  for (ValueId id : graph.outputs) last[id] = static_cast<int32_t>(graph.nodes.size());
  return last;
}

using RunOp = RunOneOp;

Result<std::vector<Tensor>> interpret_with(RunOp run, const Graph& graph,
                                           std::span<const Tensor> inputs);

Status run_node(RunOp run_one, const Node& node, std::vector<Tensor>& env) {
  InlineVec<Tensor, 4> in;
  for (ValueId id : node.inputs) in.push_back(id < 0 ? Tensor() : env[id]);
  if (node.is_control()) {
    const auto run = [&](int sub, std::span<const Tensor> args,
                         std::vector<Tensor>* out) -> Status {
      MSJIT_TRY(*out, interpret_with(run_one, *node.subgraphs[sub], args));
      return {};
    };
    std::vector<Tensor> out;
    const std::span<const Tensor> args{in.data(), in.size()};
    if (is_scan(node) && run_one == static_cast<RunOp>(run_op)) {
      MSJIT_OK(run_scan_by_ops(node, args, run, run_one, &out));
    } else {
      MSJIT_OK(run_control(node, args, run, &out));
    }
    for (int32_t i = 0; i < node.num_outputs; ++i) env[node.first_output + i] = std::move(out[i]);
    return {};
  }
  TensorVec out;
  MSJIT_OK(run_one(*node.op, in, node.attrs, &out));
  if (static_cast<int32_t>(out.size()) != node.num_outputs)
    return internal_error("[{}] number of outputs, got {}, expected {}", node.op->name, out.size(),
                          node.num_outputs);
  for (int32_t i = 0; i < node.num_outputs; ++i) env[node.first_output + i] = std::move(out[i]);
  return {};
}

Result<std::vector<Tensor>> interpret_with(RunOp run, const Graph& graph,
                                           std::span<const Tensor> inputs) {
  MSJIT_OK(check_count(graph, inputs.size()));
  std::vector<Tensor> env(graph.values.size());
  std::vector<int32_t> last = last_uses(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    switch (node.kind) {
      case NodeKind::kInput: env[node.first_output] = inputs[node.input_index]; break;
      case NodeKind::kConstant: env[node.first_output] = node.constant; break;
      case NodeKind::kOp: MSJIT_OK(run_node(run, node, env)); break;
    }
    for (ValueId id : node.inputs)
      if (id >= 0 && last[id] == static_cast<int32_t>(n)) env[id] = {};
  }
  std::vector<Tensor> outputs;
  for (ValueId id : graph.outputs) outputs.push_back(env[id]);
  return outputs;
}

}  // namespace

Result<std::vector<Tensor>> interpret(const Graph& graph, std::span<const Tensor> inputs) {
  return interpret_with(run_op, graph, inputs);
}

Result<std::vector<Tensor>> interpret_untracked(const Graph& graph,
                                                std::span<const Tensor> inputs) {
  return interpret_with(run_op_untracked, graph, inputs);
}

Result<Vals> interpret_on(OpSink* sink, const Graph& graph, std::span<const Val> inputs) {
  MSJIT_OK(check_count(graph, inputs.size()));
  Vals env(graph.values.size());
  for (const Node& node : graph.nodes) {
    if (node.kind == NodeKind::kInput) {
      env[node.first_output] = inputs[node.input_index];
    } else if (node.kind == NodeKind::kConstant) {
      env[node.first_output] = sink->constant(node.constant);
    } else {
      Vals in;
      for (ValueId id : node.inputs) in.push_back(id < 0 ? Val() : env[id]);
      if (node.is_control()) {
        auto* graph_sink = dynamic_cast<GraphSink*>(sink);
        if (!graph_sink) return internal_error("[{}] needs a graph sink", node.op->name);
        std::vector<ValueId> ids;
        for (const Val& value : in) ids.push_back(value.id());
        const ValueId first = graph_sink->append_like(graph, node, ids);
        for (int32_t i = 0; i < node.num_outputs; ++i)
          env[node.first_output + i] = graph_sink->value(first + i);
        continue;
      }
      MSJIT_TRY(Vals out, sink->apply(*node.op, in, node.attrs));
      if (static_cast<int32_t>(out.size()) < node.num_outputs)
        return internal_error("[{}] number of outputs, got {}, expected {}", node.op->name,
                              out.size(), node.num_outputs);
      for (int32_t i = 0; i < node.num_outputs; ++i) env[node.first_output + i] = std::move(out[i]);
    }
  }
  Vals outputs;
  for (ValueId id : graph.outputs) outputs.push_back(env[id]);
  return outputs;
}

}  // namespace msjit
