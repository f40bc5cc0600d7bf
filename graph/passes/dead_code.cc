#include <algorithm>

#include "graph/passes/passes.h"
#include "graph/rewrite.h"

namespace msjit {

// Removes dead nodes from the list; order, attributes and source lines of the others stay as they
// are.
Result<bool> dead_code(Graph& graph) {
  std::vector<bool> live = live_nodes(graph);
  if (std::ranges::find(live, false) == live.end()) return false;
  std::vector<ValueId> map(graph.values.size(), -1);
  Chunked<Node> nodes;
  Chunked<ValueInfo> values;
  for (size_t n = 0; n < live.size(); ++n) {
    if (!live[n]) continue;
    Node& node = graph.nodes[n];
    auto index = static_cast<int32_t>(nodes.size());
    for (ValueId& id : node.inputs)
      if (id >= 0) id = map[id];
    auto first = static_cast<ValueId>(values.size());
    for (int32_t i = 0; i < node.num_outputs; ++i) {
      map[node.first_output + i] = first + i;
      values.push_back({graph.values[node.first_output + i].meta, index});
    }
    node.first_output = first;
    nodes.push_back(std::move(node));
  }
  for (ValueId& id : graph.inputs) id = map[id];
  for (ValueId& id : graph.outputs) id = map[id];
  graph.nodes = std::move(nodes);
  graph.values = std::move(values);
  return true;
}

}  // namespace msjit
