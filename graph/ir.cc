#include "graph/ir.h"

#include <mutex>
#include <unordered_set>

namespace msjit {
namespace {

ValueId add_values(Graph& graph, std::span<const Meta> metas) {
  ValueId first = static_cast<ValueId>(graph.values.size());
  int32_t node = static_cast<int32_t>(graph.nodes.size()) - 1;
  for (const Meta& meta : metas) graph.values.push_back({meta, node});
  return first;
}

}  // namespace

ValueId Graph::add_input(const Meta& meta) {
  Node& node = nodes.emplace_back();
  node.kind = NodeKind::kInput;
  node.input_index = static_cast<int32_t>(inputs.size());
  node.first_output = add_values(*this, {&meta, 1});
  inputs.push_back(nodes.back().first_output);
  return inputs.back();
}

ValueId Graph::add_placeholder(const Meta& meta) {
  nodes.emplace_back().kind = NodeKind::kInput;
  return nodes.back().first_output = add_values(*this, {&meta, 1});
}

ValueId Graph::add_constant(Tensor value) {
  Meta meta = value.meta();
  Node& node = nodes.emplace_back();
  node.kind = NodeKind::kConstant;
  node.constant = std::move(value);
  return node.first_output = add_values(*this, {&meta, 1});
}

ValueId Graph::add_op(const OpDef& op, std::span<const ValueId> in, const Attrs& attrs,
                      std::span<const Meta> outs, SourceLocation location) {
  Node& node = nodes.emplace_back();
  node.op = &op;
  for (ValueId id : in) node.inputs.push_back(id);
  node.attrs = attrs;
  node.num_outputs = static_cast<int32_t>(outs.size());
  node.location = location;
  return node.first_output = add_values(*this, outs);
}

Device device_of(const Graph& graph) {
  for (const ValueInfo& value : graph.values)
    if (!value.meta.device.is_host()) return value.meta.device;
  return {};
}

int Graph::num_ops() const {
  int count = 0;
  for (const Node& node : nodes) count += node.num_ops();
  return count;
}

int Node::num_ops() const {
  int count = kind == NodeKind::kOp;
  for (const auto& sub : subgraphs) count += sub->num_ops();
  return count;
}

const char* intern_file(std::string_view file) {
  static std::mutex mutex;
  static auto* files = new std::unordered_set<std::string>;  // nodes never move
  std::lock_guard lock(mutex);
  return files->emplace(file).first->c_str();
}

}  // namespace msjit
