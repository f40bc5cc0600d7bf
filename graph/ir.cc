#include "graph/ir.h"

#include <algorithm>
#include <cstring>
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

bool same_node(const Node& a, const Node& b) {
  const auto same_subgraph = [](const auto& x, const auto& y) {
    return x == y || same_graph(*x, *y);
  };
  return a.kind == b.kind && a.op == b.op && a.input_index == b.input_index &&
         a.inputs == b.inputs && a.attrs == b.attrs && a.first_output == b.first_output &&
         a.num_outputs == b.num_outputs && a.location == b.location &&
         (a.kind != NodeKind::kConstant || same_constant(a.constant, b.constant)) &&
         std::ranges::equal(a.subgraphs, b.subgraphs, same_subgraph);
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

bool calls_processes(const Graph& graph) { return std::ranges::any_of(graph.nodes, is_collective); }

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

bool same_constant(const Tensor& a, const Tensor& b) {
  if (!(a.meta() == b.meta())) return false;
  if (a.data() == b.data()) return a.strides() == b.strides();
  const auto by_value = [](const Tensor& t) {
    return t.contiguous() && t.nbytes() <= kMaxComparedBytes && t.device().is_host();
  };
  return by_value(a) && by_value(b) &&
         std::memcmp(a.data(), b.data(), static_cast<size_t>(a.nbytes())) == 0;
}

bool same_graph(const Graph& a, const Graph& b) {
  const auto same_values = [](const ValueInfo& x, const ValueInfo& y) {
    return x.node == y.node && x.meta == y.meta;
  };
  return a.name == b.name && a.inputs == b.inputs && a.outputs == b.outputs &&
         a.overwrites == b.overwrites && a.writes_early == b.writes_early &&
         std::ranges::equal(a.nodes, b.nodes, same_node) &&
         std::ranges::equal(a.values, b.values, same_values);
}

size_t hash_graph(const Graph& graph) {
  size_t seed = graph.nodes.size();
  for (const Node& node : graph.nodes) {
    seed = mix_hash(seed, std::hash<const void*>()(node.op));
    seed = mix_hash(seed, hash_attrs(node.attrs));
    for (ValueId id : node.inputs) seed = mix_hash(seed, static_cast<size_t>(id));
    for (const auto& sub : node.subgraphs) seed = mix_hash(seed, hash_graph(*sub));
  }
  for (const ValueInfo& value : graph.values)
    for (Dim d : value.meta.shape) seed = mix_hash(seed, static_cast<size_t>(d));
  for (ValueId id : graph.outputs) seed = mix_hash(seed, static_cast<size_t>(id));
  return seed;
}

const char* intern_file(std::string_view file) {
  static std::mutex mutex;
  static auto* files = new std::unordered_set<std::string>;  // nodes never move
  std::lock_guard lock(mutex);
  return files->emplace(file).first->c_str();
}

}  // namespace msjit
