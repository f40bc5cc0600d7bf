// GraphSink: an OpSink whose apply() appends a node to a graph. Shape errors come from the infer
// rules that eager execution uses. Equal pure nodes become one node when they are appended (hash
// consing), unless set_merging(false). Random nodes keep the order of the calls. Composites without
// a kernel, and those with kDecompose, are expanded here; in-place ops are refused.
#pragma once

#include <unordered_map>

#include "graph/ir.h"

namespace msjit {

class ShapeRecorder;  // shape_trace.h

class GraphSink final : public OpSink {
 public:
  explicit GraphSink(std::shared_ptr<Graph> graph) : graph_(std::move(graph)) {}
  Result<Vals> apply(const OpDef& op, std::span<const Val> in, const Attrs& attrs) override;
  const Meta& meta(const Val& value) const override { return graph_->meta(value.id()); }
  Val constant(Tensor value) override;
  Val input(const Meta& meta) { return Val(this, graph_->add_input(meta)); }
  Val value(ValueId id) { return Val(this, id); }
  // Like apply(), on plain ids and with known output metas: no infer rule, no expansion. Returns
  // the first output.
  using Subgraphs = std::vector<std::shared_ptr<const Graph>>;
  ValueId append(const OpDef& op, std::span<const ValueId> in, const Attrs& attrs,
                 std::span<const Meta> outs, const Subgraphs& subgraphs = {});
  // append() for a copy of a node of another graph; `in` are its inputs in this graph.
  ValueId append_like(const Graph& from, const Node& node, std::span<const ValueId> in);
  // Off: append() always adds a new node, which later equal ones do not merge with either.
  void set_merging(bool on) { merging_ = on; }
  // On: ops without a gradient rule are expanded, so that their parts can be differentiated.
  void set_differentiable(bool on) { differentiable_ = on; }
  // Random ops applied from now on give the numbers of the draws from number `first` on again; -1:
  // they draw new ones. Draws are counted in the order of the nodes.
  void draw_again(int first) { repeated_ = first; }
  int repeated_draw() const { return repeated_; }  // the next one; -1: none is
  int num_draws() const;
  SourceLocation location() const { return location_; }
  void set_location(SourceLocation location) { location_ = location; }
  const std::shared_ptr<Graph>& graph() const { return graph_; }
  // The recorder is told of the calls made from outside, not of those that a composite makes.
  void set_recorder(ShapeRecorder* recorder) { recorder_ = recorder; }

 private:
  bool must_expand(const OpDef& op) const;
  ValueId repeat_draw(const OpDef& op, const Attrs& attrs);
  Result<Vals> apply_here(const OpDef& op, std::span<const Val> in, const Attrs& attrs);

  std::shared_ptr<Graph> graph_;
  SourceLocation location_;
  bool merging_ = true;
  bool differentiable_ = false;
  int repeated_ = -1;                                    // the draw to repeat next; -1: none
  ShapeRecorder* recorder_ = nullptr;                    // null while it records a call
  std::unordered_multimap<size_t, int32_t> pure_nodes_;  // hash -> node; constants too
};

}  // namespace msjit
