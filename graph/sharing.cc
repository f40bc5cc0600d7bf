#include "graph/sharing.h"

#include <algorithm>

#include "graph/control.h"

namespace msjit {

std::vector<bool> handed_on(const Node& control) {
  std::vector<bool> found(control.inputs.size());
  const size_t first = is_if(control) ? 1 : 0;  // an If takes its predicate for itself
  for (const auto& sub : control.subgraphs) {
    std::vector<bool> marked(sub->values.size());
    for (ValueId id : sub->outputs) marked[id] = true;
    mark_shared(*sub, &marked);
    for (size_t i = 0; i < sub->inputs.size() && first + i < found.size(); ++i)
      if (marked[sub->inputs[i]]) found[first + i] = true;
  }
  return found;
}

bool may_share_input(const Node& node, size_t place) {
  if (node.is_control()) return handed_on(node)[place];
  return node.kind == NodeKind::kOp && node.op->has(kView) && place == 0;
}

void mark_shared(const Graph& graph, std::vector<bool>* marked) {
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    if (node.kind != NodeKind::kOp || (!node.is_control() && !node.op->has(kView))) continue;
    bool any = false;
    for (ValueId id = node.first_output; id < node.first_output + node.num_outputs; ++id)
      any |= (*marked)[id];
    if (!any) continue;
    if (!node.is_control()) {
      (*marked)[node.inputs[0]] = true;
      continue;
    }
    const std::vector<bool> given = handed_on(node);
    for (size_t i = 0; i < given.size(); ++i)
      if (given[i] && node.inputs[i] >= 0) (*marked)[node.inputs[i]] = true;
  }
}

bool may_share(const Graph& graph, ValueId id, ValueId other) {
  std::vector<bool> marked(graph.values.size());
  marked[id] = true;
  mark_shared(graph, &marked);
  return marked[other];
}

}  // namespace msjit
