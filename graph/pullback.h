// The backward pass of a gradient transform (grad, value_and_grad, ...) that a captured function
// calls. The whole transform stays inside one graph: pull_back() walks back through the nodes that
// a tape would have recorded and appends the gradients to the graph.
#pragma once

#include "graph/graph_sink.h"

namespace msjit {

// Which nodes of a graph a tape would record. Holds the scopes that gradient transforms open and
// close (GradScope, kernels/eager/tape.h), each change by the node before which it takes effect.
// Outside all scopes (level 0) ops are recorded for leaves, not for Parameters.
class GradScopes {
 public:
  void set(int32_t first_node, int level, bool recording) {
    changes_.push_back({first_node, level, recording});
  }
  int level() const { return changes_.empty() ? 0 : changes_.back().level; }
  bool recording() const { return changes_.empty() || changes_.back().recording; }
  bool empty() const { return changes_.empty(); }

  // Which values depend through recorded nodes on `leaves`, or inside a scope on `parameters`. Both
  // have one flag per value of the graph.
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

// Gradients of `outputs` with respect to `wrt`: leaves (results of the op `identity`) and
// Parameters (inputs of the graph). An invalid or missing seed stands for ones. A gradient that
// does not arrive is returned as zeros. `differentiable`: the nodes of the gradients count as
// recorded, so that they can be differentiated again. Fails with kNotImplemented when an op has no
// rule, and in two cases of a branch or loop on tensor values on the way: its gradients go through
// integers, or `differentiable` is asked for.
Result<Vals> pull_back(GraphSink& sink, GradScopes& scopes, std::span<const Val> outputs,
                       std::span<const Val> seeds, std::span<const Val> wrt, bool differentiable);

}  // namespace msjit
