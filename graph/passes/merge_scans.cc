#include <algorithm>

#include "graph/passes/passes.h"
#include "graph/scan.h"

namespace msjit {

namespace {

// The scan before `extending` whose outputs `extending` computes as well; -1: there is none.
int32_t extended_by(const Graph& graph, const Node& extending) {
  const auto last = graph.values[extending.first_output].node;
  for (int32_t n = 0; n < last; ++n) {
    const Node& node = graph.nodes[n];
    if (is_scan(node) && node.subgraphs[0] == extending.subgraphs[1] &&
        node.attrs == extending.attrs && std::ranges::equal(node.inputs, extending.inputs))
      return n;
  }
  return -1;
}

}  // namespace

// The scan that a gradient added replaces the one it extends.
Result<bool> merge_scans(Graph& graph) {
  std::vector<int32_t> becomes(graph.nodes.size(), -1);
  std::vector<bool> merged(graph.nodes.size());
  bool changed = false;
  for (int32_t n = 0; n < static_cast<int32_t>(graph.nodes.size()); ++n) {
    const Node& node = graph.nodes[n];
    if (!is_scan(node) || node.subgraphs.size() == 1) continue;
    changed = true;
    const int32_t first = extended_by(graph, node);
    if (first < 0 || becomes[first] >= 0) continue;
    becomes[first] = n;
    merged[n] = true;
  }
  if (!changed) return false;
  Graph result;
  std::vector<ValueId> map(graph.values.size(), -1);
  for (int32_t n = 0; n < static_cast<int32_t>(graph.nodes.size()); ++n) {
    if (merged[n]) continue;
    const Node& old = graph.nodes[n];
    Node node = becomes[n] < 0 ? old : graph.nodes[becomes[n]];
    node.location = old.location;
    if (is_scan(node)) node.subgraphs.resize(1);
    const ValueId from = node.first_output;
    node.first_output = static_cast<ValueId>(result.values.size());
    for (ValueId& id : node.inputs)
      if (id >= 0) id = map[id];
    for (int32_t i = 0; i < node.num_outputs; ++i) {
      map[from + i] = node.first_output + i;
      if (i < old.num_outputs) map[old.first_output + i] = node.first_output + i;
      result.values.push_back(
          {graph.values[from + i].meta, static_cast<int32_t>(result.nodes.size())});
    }
    result.nodes.push_back(std::move(node));
  }
  for (ValueId& id : graph.inputs) id = map[id];
  for (ValueId& id : graph.outputs) id = map[id];
  graph.nodes = std::move(result.nodes);
  graph.values = std::move(result.values);
  return true;
}

}  // namespace msjit
