#include "graph/active.h"

#include <algorithm>

#include "graph/control.h"
#include "kernels/core/gradients.h"

namespace msjit {

namespace {

bool any(const std::vector<bool>& flags) {
  return std::find(flags.begin(), flags.end(), true) != flags.end();
}

std::vector<bool> output_flags(const Graph& graph, const std::vector<bool>& wanted) {
  const std::vector<bool> active = active_values(graph, wanted);
  std::vector<bool> flags;
  for (ValueId id : graph.outputs) flags.push_back(active[id]);
  return flags;
}

size_t num_carried(const Node& node) {
  if (is_scan(node)) return scan_shape(node).carried;
  return is_while(node) ? static_cast<size_t>(node.num_outputs) : 0;
}

// Which outputs of a control node depend on the marked inputs; the condition of an If is not among
// `in`.
std::vector<bool> control_flags(const Node& node, std::vector<bool> in) {
  const auto count = static_cast<size_t>(node.num_outputs);
  if (is_if(node)) {
    std::vector<bool> flags(count);
    for (const auto& arm : node.subgraphs) {
      const std::vector<bool> of_arm = output_flags(*arm, in);
      for (size_t i = 0; i < count; ++i) flags[i] = flags[i] || of_arm[i];
    }
    return flags;
  }
  if (!is_while(node) && !is_scan(node)) return std::vector<bool>(count, any(in));
  const size_t carried = num_carried(node), first = is_while(node) ? 1 : 0;
  std::vector<bool> next;
  for (bool settled = false; !settled;) {
    settled = true;
    next = output_flags(*node.subgraphs[0], in);
    for (size_t i = 0; i < carried; ++i) {
      if (in[i] || !next[i + first]) continue;
      in[i] = true;
      settled = false;
    }
  }
  for (size_t i = 0; i < carried; ++i) next[i + first] = in[i];
  return {next.begin() + static_cast<std::ptrdiff_t>(first), next.end()};
}

std::vector<bool> without_condition(const Node& node, const std::vector<bool>& in) {
  return {in.begin() + (is_if(node) ? 1 : 0), in.end()};
}

}  // namespace

std::vector<bool> active_outputs(const Graph& graph, const Node& node,
                                 const std::vector<bool>& inputs) {
  const auto count = static_cast<size_t>(node.num_outputs);
  std::vector<bool> active(count);
  const std::vector<bool> in = node.is_control() ? without_condition(node, inputs) : inputs;
  if (!any(in)) return active;
  if (node.is_control()) active = control_flags(node, in);
  for (size_t i = 0; i < count; ++i) {
    const DType dtype = graph.meta(node.first_output + static_cast<ValueId>(i)).dtype;
    active[i] =
        node.is_control() ? is_inexact(dtype) || active[i] : carries_gradient(*node.op, i, dtype);
  }
  return active;
}

std::vector<bool> active_values(const Graph& graph, const std::vector<bool>& wanted) {
  std::vector<bool> active(graph.values.size());
  for (const Node& node : graph.nodes) {
    if (node.kind == NodeKind::kInput) active[node.first_output] = wanted[node.input_index];
    if (node.kind != NodeKind::kOp || node.op->has(kNoGrad)) continue;
    std::vector<bool> in;
    for (ValueId id : node.inputs) in.push_back(id >= 0 && active[id]);
    const std::vector<bool> out = active_outputs(graph, node, in);
    for (size_t i = 0; i < out.size(); ++i)
      active[node.first_output + static_cast<ValueId>(i)] = out[i];
  }
  return active;
}

bool is_active_through_integers(const Graph& graph, const Node& node,
                                const std::vector<bool>& wanted, const std::vector<bool>& arrived) {
  std::vector<bool> in = without_condition(node, wanted);
  const size_t first = wanted.size() - in.size();
  const auto count = static_cast<size_t>(node.num_outputs);
  const auto is_integer = [&](ValueId id) { return !is_inexact(graph.meta(id).dtype); };
  const auto output = [&](size_t i) { return node.first_output + static_cast<ValueId>(i); };
  const std::vector<bool> out = control_flags(node, in);
  for (size_t i = 0; i < count; ++i)
    if (out[i] && arrived[i] && is_integer(output(i))) return true;
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = (i < num_carried(node) ? out[i] : in[i]) && is_integer(node.inputs[first + i]);
  }
  const std::vector<bool> through = control_flags(node, in);
  for (size_t i = 0; i < count; ++i)
    if (through[i] && !is_integer(output(i))) return true;
  return false;
}

}  // namespace msjit
