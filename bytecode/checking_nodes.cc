#include "bytecode/checking_nodes.h"

#include <algorithm>
#include <string_view>

#include "kernels/core/op.h"

namespace msjit {
namespace {

bool may_fail(const Node& node) {
  if (node.is_control())
    return std::ranges::any_of(
        node.subgraphs, [](const auto& sub) { return std::ranges::any_of(sub->nodes, may_fail); });
  return node.kind == NodeKind::kOp && !node.inputs.empty() && node.op->may_fail() &&
         !node.op->has(kCollective);  // no graph drops those
}

bool reads_shape_only(const Node& node) {
  if (node.kind != NodeKind::kOp) return false;
  const std::string_view name(node.op->name);
  return name == "zeros_like" || name == "ones_like" || name == "full_like";
}

// Also marks the nodes whose elements the marked ones read.
void mark_read(const Graph& graph, int32_t first_node, std::vector<bool>* nodes) {
  for (size_t n = graph.nodes.size(); n-- > static_cast<size_t>(first_node);) {
    if (!(*nodes)[n] || reads_shape_only(graph.nodes[n])) continue;
    for (ValueId id : graph.nodes[n].inputs)
      if (id >= 0) (*nodes)[graph.values[id].node] = true;
  }
}

}  // namespace

void CheckingNodes::note(const Graph& graph, int32_t first_node) {
  for (auto n = first_node; n < static_cast<int32_t>(graph.nodes.size()); ++n)
    if (may_fail(graph.nodes[n])) nodes_.push_back(n);
}

std::vector<int32_t> CheckingNodes::take(size_t mark) {
  std::vector<int32_t> taken(nodes_.begin() + static_cast<ptrdiff_t>(mark), nodes_.end());
  nodes_.resize(mark);
  return taken;
}

std::vector<ValueId> unread_values(const Graph& graph, const std::vector<int32_t>& nodes,
                                   int32_t first_node, std::span<const ValueId> read) {
  std::vector<ValueId> values;
  if (nodes.empty()) return values;
  std::vector<bool> is_read(graph.nodes.size());
  for (ValueId id : read) is_read[graph.values[id].node] = true;
  mark_read(graph, first_node, &is_read);
  for (size_t i = nodes.size(); i-- > 0;) {
    const int32_t n = nodes[i];
    if (n < first_node || n >= static_cast<int32_t>(is_read.size()) || is_read[n]) continue;
    values.push_back(graph.nodes[n].first_output);
    is_read[n] = true;
    mark_read(graph, first_node, &is_read);
  }
  return values;
}

}  // namespace msjit
