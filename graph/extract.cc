#include "graph/extract.h"

#include "graph/control.h"

namespace msjit {

Extractor::Extractor(const Graph& from, GraphSink* to)
    : from_(from),
      to_(to),
      map_(from.values.size(), -1),
      apart_(kept_apart(from, 1)) {}  // as in the original graph

Status Extractor::run() {
  std::vector<bool> wanted(from_.nodes.size());
  for (ValueId id : needed_)
    if (map_[id] < 0) wanted[from_.values[id].node] = true;
  for (size_t n = from_.nodes.size(); n-- > 0;) {
    if (!wanted[n]) continue;
    for (ValueId id : from_.nodes[n].inputs)
      if (id >= 0 && map_[id] < 0) wanted[from_.values[id].node] = true;
  }
  for (size_t n = 0; n < from_.nodes.size(); ++n)
    if (wanted[n]) MSJIT_OK(copy(from_.nodes[n]));
  return {};
}

Status Extractor::copy(const Node& node) {
  if (node.kind == NodeKind::kInput)
    return internal_error("[autodiff] the input {} was not kept", node.input_index);
  if (node.kind == NodeKind::kConstant) {
    map_[node.first_output] = to_->constant(node.constant).id();
    return {};
  }
  InlineVec<ValueId, 6> in;
  for (ValueId id : node.inputs) in.push_back(id < 0 ? -1 : map_[id]);
  to_->set_merging(!apart_[node.first_output]);
  ValueId first = to_->append_like(from_, node, in);
  to_->set_merging(true);
  for (int32_t i = 0; i < node.num_outputs; ++i)
    if (map_[node.first_output + i] < 0) map_[node.first_output + i] = first + i;
  return {};
}

}  // namespace msjit
