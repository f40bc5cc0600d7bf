// The backward pass of a gradient transform (grad, value_and_grad, ...) that a captured function
// calls. The whole transform stays inside one graph: Pullback walks back through the nodes that a
// tape would have recorded and appends the gradients to the graph.
#pragma once

#include "graph/grad.h"
#include "graph/graph_sink.h"

namespace msjit {

// A step whose gradient is a function of the program. `outputs` are results of `identity` nodes,
// made one after another. To gradients they look like functions of `inputs`.
struct CustomStep {
  std::vector<ValueId> inputs, outputs;
};

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

  void add_custom(CustomStep step) { customs_.push_back(std::move(step)); }
  const CustomStep& custom(int number) const { return customs_[number]; }
  // The number of the custom step with this output; -1: there is none.
  int custom_with(ValueId output) const;

  // Which values depend through recorded nodes on `leaves`, or inside a scope on `parameters`. Both
  // have one flag per value of the graph.
  std::vector<bool> active(const Graph& graph, const std::vector<bool>& leaves,
                           const std::vector<bool>& parameters) const;

 private:
  friend class Pullback;
  // The values on which the node's results depend.
  std::span<const ValueId> inputs_of(const Node& node) const;
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
  std::vector<CustomStep> customs_;  // by their first outputs, ascending
};

// One backward pass: begin(), then next() until it returns -1, then finish(). When next() returns
// the number of a custom step, the caller computes the gradients of that step's inputs, which may
// append nodes and run other passes, and hands them to give().
//
// Gradients are those of `outputs` with respect to `wrt`: leaves (results of the op `identity`) and
// Parameters (inputs of the graph). An invalid or missing seed stands for ones. A gradient that
// does not arrive is returned as zeros. `differentiable`: the nodes of the gradients count as
// recorded, so that they can be differentiated again. Fails with kNotImplemented when an op has no
// rule, and in three cases of a branch or loop on tensor values on the way: its gradients go
// through integers, `differentiable` is asked for, or it decides whether a custom step gets a
// gradient.
class Pullback {
 public:
  Pullback(GraphSink& sink, GradScopes& scopes, bool differentiable)
      : sink_(sink), scopes_(scopes), before_(scopes), differentiable_(differentiable) {}
  Status begin(std::span<const Val> outputs, std::span<const Val> seeds, std::span<const Val> wrt);
  Result<int> next();
  // The gradients of the outputs of the custom step that next() returned; empty: none arrived.
  Vals arrived(int custom) const;
  // One gradient for each input of that step; empty: it has none.
  Status give(int custom, std::span<const Val> gradients);
  Result<Vals> finish();

 private:
  struct Step {
    int32_t node;
    bool in_scope;
  };
  void find_active();
  bool is_edge(ValueId id, bool in_scope) const;
  Status seed(const Val& output, const Val& given);
  Status add_gradient(ValueId id, const Grad& gradient);
  Result<bool> reaches(int custom, bool in_scope) const;
  Status walk(const Step& step);
  void set_scope(int level, bool recording);

  GraphSink& sink_;
  GradScopes& scopes_;
  const GradScopes before_;  // as they were for the nodes that are walked through
  const bool differentiable_;
  SourceLocation place_;
  Vals wrt_;
  std::vector<bool> leaves_, parameters_, active_;
  std::vector<Step> steps_;      // those left of the recorded nodes that lead to something in wrt
  std::vector<Grad> gradients_;  // by value
};

}  // namespace msjit
