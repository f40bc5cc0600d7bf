// Removes branches that only decide what is written, for example an optimizer's step that is
// skipped when a gradient overflowed. When both arms are cheap, both are computed and `where` picks
// each result. The step then consists of fused loops, which can write over their inputs as in a
// program without the branch.
#include <algorithm>

#include "graph/control.h"
#include "graph/extract.h"
#include "graph/passes/passes.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_copy;

namespace {

// The node reads its inputs once, element by element, and cannot fail.
bool is_cheap(const Node& node) {
  if (node.kind != NodeKind::kOp) return true;
  if (node.is_control() || !node.op->has(kPure) || node.op->has(kRandom)) return false;
  return node.op->has(kElementwise) || node.op->has(kReduction) || node.op->has(kView) ||
         node.op == &op_copy;
}

bool is_cheap_branch(const Node& node) {
  return is_if(node) && std::ranges::all_of(node.subgraphs, [](const auto& arm) {
           return std::ranges::all_of(arm->nodes, is_cheap);
         });
}

class WriteSelector {
 public:
  explicit WriteSelector(Graph& graph) : graph_(graph), sink_(std::make_shared<Graph>()) {}

  Result<bool> run() {
    find_branches();
    if (std::ranges::none_of(selected_, [](bool selected) { return selected; })) return false;
    sink_.graph()->name = graph_.name;
    sink_.set_merging(false);
    map_.assign(graph_.values.size(), -1);
    for (ValueId id : graph_.inputs) map_[id] = sink_.input(graph_.meta(id)).id();
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (node.kind == NodeKind::kInput) continue;
      sink_.set_location(node.location);
      if (selected_[n])
        MSJIT_OK(select(node));
      else
        add(node);
    }
    MSJIT_OK(sink_.take_error());
    for (ValueId id : graph_.outputs) sink_.graph()->outputs.push_back(map_[id]);
    graph_ = std::move(*sink_.graph());
    return true;
  }

 private:
  // Selects branches whose results are only copied. A copy hides whether a branch returned an input
  // itself.
  void find_branches() {
    selected_.resize(graph_.nodes.size());
    for (size_t n = 0; n < selected_.size(); ++n) selected_[n] = is_cheap_branch(graph_.nodes[n]);
    const auto keep = [&](ValueId id) {
      if (id >= 0) selected_[graph_.values[id].node] = false;
    };
    for (const Node& node : graph_.nodes)
      if (node.op != &op_copy) std::ranges::for_each(node.inputs, keep);
    std::ranges::for_each(graph_.outputs, keep);
  }

  void add(const Node& node) {
    const ValueId from = node.inputs.empty() ? -1 : node.inputs[0];
    if (node.op == &op_copy && selected_[graph_.values[from].node] && !taken_[from]) {
      taken_[from] = true;  // nothing else uses the picked value
      map_[node.first_output] = map_[from];
      return;
    }
    InlineVec<ValueId, 6> in;
    for (ValueId id : node.inputs) in.push_back(id < 0 ? -1 : map_[id]);
    const ValueId first = node.kind == NodeKind::kConstant
                              ? sink_.graph()->add_constant(node.constant)
                              : sink_.append_like(graph_, node, in);
    for (int32_t i = 0; i < node.num_outputs; ++i) map_[node.first_output + i] = first + i;
  }

  Status select(const Node& node) {
    taken_.resize(graph_.values.size());
    std::vector<ValueId> results[2];
    for (size_t side : {0, 1}) {
      const Graph& arm = *node.subgraphs[side];
      Extractor extractor(arm, &sink_);
      for (size_t i = 0; i < arm.inputs.size(); ++i)
        extractor.map(arm.inputs[i], map_[node.inputs[i + 1]]);
      std::ranges::for_each(arm.outputs, [&](ValueId id) { extractor.need(id); });
      MSJIT_OK(extractor.run());
      for (ValueId id : arm.outputs) results[side].push_back(extractor.get(id));
    }
    sink_.set_merging(false);
    const Val predicate = words::reshape(sink_.value(map_[node.inputs[0]]), Shape());
    for (int32_t i = 0; i < node.num_outputs; ++i) {
      const Val picked =
          words::where(predicate, sink_.value(results[0][i]), sink_.value(results[1][i]));
      MSJIT_OK(sink_.take_error());
      map_[node.first_output + i] = picked.id();
    }
    return {};
  }

  Graph& graph_;
  GraphSink sink_;
  std::vector<bool> selected_;  // by node
  std::vector<bool> taken_;     // by value: a branch's result that replaced its copy
  std::vector<ValueId> map_;    // by value
};

}  // namespace

Result<bool> select_writes(Graph& graph) {
  if (std::ranges::none_of(graph.nodes, is_cheap_branch)) return false;
  return WriteSelector(graph).run();
}

}  // namespace msjit
