// Rewrite rules: a rule takes one node and offers a cheaper value for it. The driver builds the
// graph again from its inputs on, so a rule sees operands that are already rewritten. A rule builds
// its answer with the functions of kernels/core/words.h, as gradient rules do. The driver refuses
// an answer whose meta (dtype, shape, weak) differs from the node's. A rule keeps every bit of the
// result, signed zeros and NaNs included, unless its comment says what may differ.
#pragma once

#include <unordered_map>

#include "graph/graph_sink.h"

namespace msjit {

// A node on offer to a rule. Value ids are those of the graph being built.
class Match {
 public:
  Match(GraphSink* sink, const Node& node, std::span<const ValueId> in, const Meta& meta,
        const std::vector<int>& uses, bool is_output)
      : sink_(sink), node_(node), in_(in), meta_(meta), uses_(uses), is_output_(is_output) {}

  const OpDef& op() const { return *node_.op; }
  int num_inputs() const { return static_cast<int>(in_.size()); }
  ValueId in(int i) const { return in_[i]; }
  Val val(int i) const { return sink_->value(in_[i]); }
  const AttrValue& attr(int i) const { return node_.attrs[i]; }
  const Attrs& attrs() const { return node_.attrs; }
  const Meta& meta() const { return meta_; }  // of the node's output
  const Meta& meta(ValueId id) const { return graph().meta(id); }
  bool is_output() const { return is_output_; }  // the node's value leaves the graph
  GraphSink* sink() const { return sink_; }
  const Graph& graph() const { return *sink_->graph(); }

  // The op node that makes a value; null for inputs and constants, and when its name is another.
  const Node* maker(ValueId id) const;
  const Node* maker(ValueId id, std::string_view op) const;
  // A constant with this value in every element, seen through broadcast_to. Tells -0.0 from 0.0.
  bool is_constant(ValueId id, double value) const;
  // The value of a constant whose elements are all equal; false for anything else.
  bool constant_value(ValueId id, double* value) const;
  // Read by one node only: a rewrite through this value does not compute its node twice.
  bool used_once(ValueId id) const {
    return static_cast<size_t>(id) < uses_.size() && uses_[id] == 1;
  }
  // The node's op with its attributes on other inputs.
  Val again(std::initializer_list<Val> inputs) const {
    return call_in(sink_, op(), {inputs.begin(), inputs.size()}, node_.attrs);
  }

 private:
  GraphSink* sink_;
  const Node& node_;
  std::span<const ValueId> in_;
  const Meta& meta_;
  const std::vector<int>& uses_;
  bool is_output_;
};

// An invalid Val means: does not apply.
using RuleFn = Val (*)(const Match&);
struct Rule {
  const char* name;
  const char* op;  // null: offered every node with one output
  RuleFn apply;
};

// The rules of a pass, found by the op they are offered; those with a null op are offered every
// node. A pass makes its table once.
class RuleTable {
 public:
  RuleTable() = default;
  RuleTable(std::initializer_list<std::span<const Rule>> families);
  std::span<const Rule* const> of(const OpDef* op) const;
  bool concerns(const Graph& graph) const;  // whether any rule would be offered a node

 private:
  std::unordered_map<const OpDef*, std::vector<const Rule*>> rules_;
};

// Applies the rules until none fires or after a few rounds, then removes dead code.
Result<bool> apply_rules(Graph& graph, const RuleTable& rules);

// Replaces the nodes that `wanted` picks by their composites. A composite whose metas differ from
// the node's is refused.
using NodeTest = bool (*)(const Graph& graph, const Node& node);
Result<bool> expand_composites(Graph& graph, NodeTest wanted);

// Appends a constant or an op of `from` to the sink's graph. `map` goes from values of `from` to
// values of that graph; the node's outputs are added to it. `apart`: the copy is not merged with
// equal nodes (kept_apart()).
void copy_node(GraphSink* sink, const Graph& from, const Node& node, bool apart,
               std::vector<ValueId>* map);

// Copies `graph` node by node, dead ones left out and equal ones merged.
Result<bool> rebuild(Graph& graph);

// Also marks all nodes that the marked ones depend on.
void mark_inputs(const Graph& graph, std::vector<bool>* nodes);

// True for each node that an output, a draw or a write depends on; inputs count as alive.
std::vector<bool> live_nodes(const Graph& graph);

std::span<const Rule> algebra_rules();
std::span<const Rule> layout_rules();
std::span<const Rule> linear_rules();

}  // namespace msjit
