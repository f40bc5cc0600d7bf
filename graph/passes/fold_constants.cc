#include <algorithm>

#include "graph/control.h"
#include "graph/passes/passes.h"
#include "kernels/eager/eager_sink.h"

namespace msjit {
namespace {

constexpr int64_t kMaxFoldedBytes = 1 << 20;
constexpr int64_t kSmallBytes =
    1024;  // up to here a constant may be larger than what it is made from

int64_t bytes(const Meta& meta) { return meta.shape.numel() * item_size(meta.dtype); }

// A node may be evaluated now when its operands are known and the result does not bloat the graph.
// Broadcasts are not evaluated: code generation reads them with stride 0. Fills (zeros, ones, full)
// are not either: a rule turns them into broadcasts.
bool can_fold(const Graph& graph, const Node& node) {
  if (node.kind != NodeKind::kOp || !node.op->has(kPure) || node.op->has(kRandom)) return false;
  if (node.is_control()) return false;
  int64_t in_bytes = 0, out_bytes = 0;
  for (ValueId id : node.inputs) {
    if (id < 0) continue;
    if (graph.producer(id).kind != NodeKind::kConstant) return false;
    in_bytes += bytes(graph.meta(id));
  }
  for (int32_t i = 0; i < node.num_outputs; ++i) {
    if (!graph.meta(node.first_output + i).device.is_host()) return false;  // it compiles first
    out_bytes += bytes(graph.meta(node.first_output + i));
  }
  static constexpr std::string_view kFills[] = {"zeros",      "ones",      "full",
                                                "zeros_like", "ones_like", "full_like"};
  if (std::find(std::begin(kFills), std::end(kFills), node.op->name) != std::end(kFills))
    return false;
  if (node.op->has(kView) && out_bytes > in_bytes) return false;
  return out_bytes <= kMaxFoldedBytes && (out_bytes <= kSmallBytes || out_bytes <= 2 * in_bytes);
}

// The values of a node that can be folded. Empty when its kernel fails: that error must appear at
// run time.
std::vector<Tensor> evaluate(const Graph& graph, const Node& node) {
  InlineVec<Tensor, 4> in;
  for (ValueId id : node.inputs) in.push_back(id < 0 ? Tensor() : graph.producer(id).constant);
  TensorVec out;
  if (!run_op_untracked(*node.op, in, node.attrs, &out).ok()) return {};
  std::vector<Tensor> results;
  for (uint32_t i = 0; i < out.size(); ++i) {
    const Meta& meta = graph.meta(node.first_output + static_cast<ValueId>(i));
    auto dense = out[i].to_contiguous();
    if (!dense.ok() || dense.value().dtype() != meta.dtype ||
        !(dense.value().shape() == meta.shape))
      return {};
    Tensor value = dense.value().detach();
    value.impl()->meta.weak = meta.weak;
    results.push_back(std::move(value));
  }
  return results;
}

}  // namespace

Result<bool> fold_constants(Graph& graph) {
  auto folded = std::make_shared<Graph>();
  folded->name = graph.name;
  GraphSink sink(folded);
  std::vector<ValueId> map(graph.values.size(), -1);
  bool changed = false;
  const std::vector<bool> apart = kept_apart(graph);
  for (ValueId id : graph.inputs) map[id] = folded->add_input(graph.meta(id));
  for (const Node& node : graph.nodes) {
    if (node.kind == NodeKind::kInput) continue;
    if (node.kind == NodeKind::kConstant) {
      map[node.first_output] = sink.constant(node.constant).id();
      continue;
    }
    Node mapped = node;
    for (ValueId& id : mapped.inputs)
      if (id >= 0) id = map[id];
    // Appended first, so that the new graph has its metas; dead_code() removes it again.
    sink.set_merging(!apart[node.first_output]);
    mapped.first_output = sink.append_like(graph, node, mapped.inputs);
    sink.set_merging(true);
    std::vector<Tensor> values;
    if (!apart[node.first_output] && can_fold(*folded, mapped)) values = evaluate(*folded, mapped);
    for (int32_t i = 0; i < node.num_outputs; ++i) {
      ValueId id = mapped.first_output + i;
      map[node.first_output + i] = values.empty() ? id : sink.constant(values[i]).id();
    }
    changed |= !values.empty();
  }
  for (ValueId id : graph.outputs) folded->outputs.push_back(map[id]);
  if (!changed) return false;
  graph = std::move(*folded);
  return dead_code(graph);
}

}  // namespace msjit
