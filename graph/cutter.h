// Cutter: copies the nodes that were appended for an arm or a body into a graph of its own.
#pragma once

#include "graph/graph_sink.h"

namespace msjit {

// Works on the nodes from `first` on. cut() copies those that some values need. The inputs of the
// new graph are `leading`, then the captures: what these nodes take from before `first`.
class Cutter {
 public:
  Cutter(const Graph& graph, int32_t first, std::span<const Val> leading)
      : graph_(graph), first_(first), is_capture_(graph.values.size()) {
    for (const Val& value : leading) inputs_.push_back(value.id());
    for (ValueId id : inputs_) is_capture_[id] = true;
    leading_ = inputs_.size();
  }

  // Finds the captures of these values. An error when any node behind the cut draws or writes.
  Status require(std::span<const Val> values) {
    for (size_t n = first_; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (node.kind == NodeKind::kOp && (!node.op->has(kPure) || node.op->has(kRandom)))
        return not_implemented_error("[{}] draws random numbers or writes in an arm",
                                     node.op->name);
    }
    for (int32_t n : needed(values)) {
      for (ValueId id : graph_.nodes[n].inputs)
        if (id >= 0) capture(id);
    }
    for (const Val& value : values) capture(value.id());
    return {};
  }

  std::span<const ValueId> captures() const {
    return std::span<const ValueId>(inputs_).subspan(leading_);
  }

  std::shared_ptr<const Graph> cut(const char* name, std::span<const Val> values) const {
    auto graph = std::make_shared<Graph>();
    graph->name = name;
    GraphSink sink(graph);
    std::vector<ValueId> map(graph_.values.size(), -1);
    for (ValueId id : inputs_) map[id] = graph->add_input(graph_.meta(id));
    sink.set_merging(false);
    const auto get = [&](ValueId id) {
      if (id >= 0 && map[id] < 0) map[id] = sink.constant(graph_.producer(id).constant).id();
      return id < 0 ? -1 : map[id];
    };
    for (int32_t n : needed(values)) {
      const Node& node = graph_.nodes[n];
      InlineVec<ValueId, 6> in;
      for (ValueId id : node.inputs) in.push_back(get(id));
      const ValueId to = sink.append_like(graph_, node, in);
      for (int32_t i = 0; i < node.num_outputs; ++i) map[node.first_output + i] = to + i;
    }
    for (const Val& value : values) graph->outputs.push_back(get(value.id()));
    return graph;
  }

 private:
  bool inside(ValueId id) const {
    return graph_.values[id].node >= first_ && graph_.producer(id).kind == NodeKind::kOp;
  }
  void capture(ValueId id) {
    if (inside(id) || is_capture_[id] || graph_.producer(id).kind == NodeKind::kConstant) return;
    is_capture_[id] = true;
    inputs_.push_back(id);
  }
  // Nodes from first_ on that the values depend on, in order.
  std::vector<int32_t> needed(std::span<const Val> values) const {
    std::vector<bool> wanted(graph_.nodes.size() - first_);
    const auto want = [&](ValueId id) {
      if (id >= 0 && inside(id)) wanted[graph_.values[id].node - first_] = true;
    };
    for (const Val& value : values) want(value.id());
    std::vector<int32_t> nodes;
    for (size_t n = graph_.nodes.size(); n-- > static_cast<size_t>(first_);) {
      if (!wanted[n - first_]) continue;
      nodes.push_back(static_cast<int32_t>(n));
      for (ValueId id : graph_.nodes[n].inputs) want(id);
    }
    std::reverse(nodes.begin(), nodes.end());
    return nodes;
  }

  const Graph& graph_;
  const int32_t first_;
  size_t leading_;
  std::vector<ValueId> inputs_;
  std::vector<bool> is_capture_;
};

}  // namespace msjit
