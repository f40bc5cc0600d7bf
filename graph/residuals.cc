// Chooses the residuals by a minimum cut. Each value is a pair of vertices (in, out) joined by an
// edge whose capacity is the cost of keeping the value. Values that cannot be computed again are
// connected to the source. Values that the backward graph reads are connected to the sink. The cut
// edges are the values to keep; everything between them and the sink is recomputed.
#include <algorithm>
#include <limits>

#include "graph/autodiff.h"

namespace msjit {
namespace {

constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max() / 4;
constexpr int kMaxRecomputeDepth = 8;    // elementwise steps in a row that are recomputed
constexpr size_t kCheapProgram = 10;     // scalar operations of an op that may be recomputed
constexpr size_t kMaxVertices = 40000;   // beyond it everything required is kept
constexpr int64_t kTensorOverhead = 64;  // bytes: a kept value costs a header and a buffer

class FlowNetwork {
 public:
  explicit FlowNetwork(size_t vertices) : first_(vertices, -1) {}
  void add_edge(int from, int to, int64_t capacity) {
    push(from, to, capacity);
    push(to, from, 0);
  }
  // Saturates all paths from source to sink, then tells which vertices still reach the sink. Of all
  // minimum cuts this is the one nearest to the sink. So of two values with equal cost the later
  // one is kept, and less is recomputed.
  std::vector<bool> cut(int source, int sink) {
    while (augment(source, sink)) {
    }
    std::vector<bool> reaches(first_.size());
    std::vector<int> queue{sink};
    reaches[sink] = true;
    for (size_t i = 0; i < queue.size(); ++i) {
      for (int e = first_[queue[i]]; e >= 0; e = edges_[e].next) {
        int from = edges_[e].to;
        if (edges_[e ^ 1].capacity <= 0 || reaches[from]) continue;
        reaches[from] = true;
        queue.push_back(from);
      }
    }
    return reaches;
  }

 private:
  struct Edge {
    int to;
    int next;
    int64_t capacity;
  };
  void push(int from, int to, int64_t capacity) {
    edges_.push_back({to, first_[from], capacity});
    first_[from] = static_cast<int>(edges_.size()) - 1;
  }
  // One breadth-first search; leaves in via_ the edge by which each vertex was reached.
  bool augment(int source, int sink) {
    via_.assign(first_.size(), -1);
    std::vector<int> queue{source};
    for (size_t i = 0; i < queue.size() && via_[sink] < 0; ++i) {
      for (int e = first_[queue[i]]; e >= 0; e = edges_[e].next) {
        int to = edges_[e].to;
        if (edges_[e].capacity <= 0 || to == source || via_[to] >= 0) continue;
        via_[to] = e;
        queue.push_back(to);
      }
    }
    if (via_[sink] < 0) return false;
    int64_t flow = kInfinite;
    for (int v = sink; v != source; v = edges_[via_[v] ^ 1].to)
      flow = std::min(flow, edges_[via_[v]].capacity);
    for (int v = sink; v != source; v = edges_[via_[v] ^ 1].to) {
      edges_[via_[v]].capacity -= flow;
      edges_[via_[v] ^ 1].capacity += flow;
    }
    return true;
  }

  std::vector<int> first_;
  std::vector<int> via_;
  std::vector<Edge> edges_;
};

int64_t value_bytes(const Meta& meta) { return meta.shape.numel() * item_size(meta.dtype); }

bool is_cheap_program(const Graph& graph, const Node& node) {
  std::vector<const Meta*> metas;
  for (ValueId id : node.inputs) metas.push_back(id < 0 ? nullptr : &graph.meta(id));
  DType dtype = compute_dtype(*node.op, metas);
  const ScalarTraceFn trace = trace_for(*node.op, dtype);
  if (!trace) return false;
  if (dtype == DType::kFloat16 || dtype == DType::kBFloat16) dtype = DType::kFloat32;
  ScalarBuilder builder;
  std::vector<Sym> inputs;
  for (size_t i = 0; i < metas.size(); ++i)
    inputs.push_back(builder.input(static_cast<int>(i), dtype));
  trace(builder, inputs, node.attrs);
  return builder.program().nodes.size() <= kCheapProgram + inputs.size();
}

// How many elementwise steps in a row lead to this node when it is recomputed, or -1 when its
// values cannot be, or should not be, computed again.
int recompute_depth(const Graph& graph, const Node& node, const std::vector<int>& depths) {
  const OpDef& op = *node.op;
  if (!op.has(kPure) || op.has(kRandom) || op.has(kInPlace)) return -1;
  int depth = 0;
  for (ValueId id : node.inputs)
    if (id >= 0) depth = std::max(depth, depths[id]);
  if (op.has(kView) || node.inputs.empty()) return depth;
  if (!op.has(kElementwise) || depth >= kMaxRecomputeDepth || !is_cheap_program(graph, node))
    return -1;
  return depth + 1;
}

class ResidualChooser {
 public:
  ResidualChooser(const Graph& graph, std::span<const ValueId> required,
                  std::span<const ValueId> outputs, const std::vector<bool>& copied)
      : graph_(graph),
        required_(required),
        weight_(graph.values.size()),
        relevant_(graph.values.size()) {
    for (size_t v = 0; v < weight_.size(); ++v)
      weight_[v] = value_bytes(graph.values[v].meta) + kTensorOverhead;
    // These stay alive without us, so keeping them costs a handle only.
    for (ValueId id : outputs)
      if (!copied[id]) weight_[id] = weight_[id] / 8 + 1;
    for (ValueId id : graph.inputs)
      if (!copied[id]) weight_[id] = 1;
  }

  std::vector<ValueId> choose() {
    mark_relevant();
    find_depths();
    if (2 * graph_.values.size() + 2 > kMaxVertices) return keep_required();
    FlowNetwork network = build();
    std::vector<bool> recomputed = network.cut(source(), sink());
    std::vector<ValueId> kept;
    for (size_t v = 0; v < relevant_.size(); ++v)
      if (relevant_[v] && !recomputed[in(v)] && recomputed[out(v)])
        kept.push_back(static_cast<ValueId>(v));
    return kept;
  }

 private:
  int in(size_t v) const { return static_cast<int>(2 * v); }
  int out(size_t v) const { return static_cast<int>(2 * v + 1); }
  int source() const { return static_cast<int>(2 * graph_.values.size()); }
  int sink() const { return source() + 1; }
  bool is_constant(ValueId id) const { return graph_.producer(id).kind == NodeKind::kConstant; }

  void mark_relevant() {
    for (ValueId id : required_) relevant_[id] = true;
    for (size_t n = graph_.nodes.size(); n-- > 0;) {
      const Node& node = graph_.nodes[n];
      bool used = false;
      for (int32_t i = 0; i < node.num_outputs; ++i) used |= relevant_[node.first_output + i];
      if (!used) continue;
      for (ValueId id : node.inputs)
        if (id >= 0) relevant_[id] = true;
    }
  }

  void find_depths() {
    depths_.assign(graph_.values.size(), 0);
    keep_.assign(graph_.values.size(), false);
    for (const Node& node : graph_.nodes) {
      if (node.kind == NodeKind::kConstant || !relevant_[node.first_output]) {
        if (node.num_outputs == 1) continue;
      }
      int depth = node.kind == NodeKind::kOp ? recompute_depth(graph_, node, depths_) : -1;
      for (int32_t i = 0; i < node.num_outputs; ++i) {
        depths_[node.first_output + i] = std::max(depth, 0);
        keep_[node.first_output + i] = depth < 0;
      }
    }
  }

  FlowNetwork build() const {
    FlowNetwork network(2 * graph_.values.size() + 2);
    for (size_t v = 0; v < relevant_.size(); ++v) {
      if (!relevant_[v] || is_constant(static_cast<ValueId>(v))) continue;
      network.add_edge(in(v), out(v), weight_[v]);
      if (keep_[v]) {
        network.add_edge(source(), in(v), kInfinite);
        continue;
      }
      for (ValueId id : graph_.producer(static_cast<ValueId>(v)).inputs)
        if (id >= 0 && !is_constant(id)) network.add_edge(out(id), in(v), kInfinite);
    }
    for (ValueId id : required_)
      if (!is_constant(id)) network.add_edge(out(id), sink(), kInfinite);
    return network;
  }

  std::vector<ValueId> keep_required() const {
    std::vector<ValueId> kept;
    for (ValueId id : required_)
      if (!is_constant(id)) kept.push_back(id);
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    return kept;
  }

  const Graph& graph_;
  std::span<const ValueId> required_;
  std::vector<int64_t> weight_;
  std::vector<bool> relevant_;  // leads to something required
  std::vector<int> depths_;
  std::vector<bool> keep_;  // cannot be computed again
};

}  // namespace

std::vector<ValueId> choose_residuals(const Graph& joint, std::span<const ValueId> required,
                                      std::span<const ValueId> outputs,
                                      const std::vector<bool>& copied) {
  return ResidualChooser(joint, required, outputs, copied).choose();
}

}  // namespace msjit
