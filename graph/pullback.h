// Gradients inside one graph: the backward pass of a transform that a captured function calls
// (grad, value_and_grad, ...). It walks back through the nodes that the tape would hold and appends
// the gradients behind them.
#pragma once

#include "graph/graph_sink.h"

namespace msjit {

// Which nodes of a graph a tape would record: the scopes of gradient transforms, as GradScope
// opens them, by the node they begin before. Outside all of them ops are recorded for leaves, not
// for Parameters.
class GradScopes {
 public:
  void set(int32_t first_node, int level, bool recording) {
    changes_.push_back({first_node, level, recording});
  }
  int level() const { return changes_.empty() ? 0 : changes_.back().level; }
  bool recording() const { return changes_.empty() || changes_.back().recording; }
  bool empty() const { return changes_.empty(); }

  // Which values depend on `leaves`, or inside a scope on `parameters`, through recorded nodes. The
  // flags of both are one a value.
  std::vector<bool> active(const Graph& graph, const std::vector<bool>& leaves,
                           const std::vector<bool>& parameters) const;

 private:
  friend class Pullback;
  struct Change {
    int32_t first_node;
    int level;
    bool recording;
  };
  // Calls f(node, recorded, parameters count) for each node in order.
  template <class F>
  void visit(const Graph& graph, F f) const {
    size_t next = 0;
    int level = 0;
    bool recording = true;
    for (int32_t n = 0; n < static_cast<int32_t>(graph.nodes.size()); ++n) {
      for (; next < changes_.size() && changes_[next].first_node <= n; ++next) {
        level = changes_[next].level;
        recording = changes_[next].recording;
      }
      f(graph.nodes[n], recording, level > 0);
    }
  }
  std::vector<Change> changes_;
};

// Gradients of `outputs` with respect to `wrt`: leaves (values of the op `identity`) and Parameters
// (inputs of the graph). An invalid or missing seed stands for ones; a gradient that does not
// arrive is zeros. `differentiable`: the gradients are recorded in turn. An error of the kind
// kNotImplemented: an op has no rule, or the way leads through a branch or loop on tensor values
// and is of integers or to be differentiated again.
Result<Vals> pull_back(GraphSink& sink, GradScopes& scopes, std::span<const Val> outputs,
                       std::span<const Val> seeds, std::span<const Val> wrt, bool differentiable);

}  // namespace msjit
