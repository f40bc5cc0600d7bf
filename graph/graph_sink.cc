#include "graph/graph_sink.h"

#include <algorithm>

#include "graph/shape_trace.h"

namespace msjit {
namespace {

bool hashed_by_value(const Tensor& t) {
  return t.contiguous() && t.nbytes() <= kMaxComparedBytes && t.device().is_host();
}

size_t hash_constant(const Tensor& t) {
  size_t seed = mix_hash(static_cast<size_t>(t.dtype()) * 2 + t.meta().weak, t.rank());
  for (Dim d : t.shape()) seed = mix_hash(seed, static_cast<size_t>(d));
  if (!hashed_by_value(t)) return mix_hash(seed, reinterpret_cast<size_t>(t.data()));
  std::string_view bytes(static_cast<const char*>(t.data()), static_cast<size_t>(t.nbytes()));
  return mix_hash(seed, std::hash<std::string_view>()(bytes));
}

// Operands of a commutative op are compared in ascending order.
InlineVec<ValueId, 3> canonical_inputs(const OpDef& op, std::span<const ValueId> in) {
  InlineVec<ValueId, 3> ids(in);
  if (op.has(kCommutative) && ids.size() >= 2 && ids[1] < ids[0]) std::swap(ids[0], ids[1]);
  return ids;
}

size_t hash_node(const OpDef& op, std::span<const ValueId> in, const Attrs& attrs) {
  size_t seed = mix_hash(reinterpret_cast<size_t>(&op), hash_attrs(attrs));
  for (ValueId id : in) seed = mix_hash(seed, static_cast<size_t>(id));
  return seed;
}

bool is_draw(const Node& node) { return node.kind == NodeKind::kOp && node.op->has(kRandom); }

bool can_merge(const OpDef& op) { return op.has(kPure) && !op.has(kRandom) && !op.has(kInPlace); }

}  // namespace

bool GraphSink::must_expand(const OpDef& op) const {
  const bool has_kernel = op.host_kernel() != nullptr;
  return op.composite &&
         (!has_kernel || op.has(kDecompose) || (differentiable_ && !op.vjp && !op.has(kNoGrad)));
}

Result<Vals> GraphSink::apply(const OpDef& op, std::span<const Val> in, const Attrs& attrs) {
  if (!recorder_) return apply_here(op, in, attrs);
  ShapeRecorder* const recorder = std::exchange(recorder_, nullptr);
  auto results = apply_here(op, in, attrs);
  recorder_ = recorder;
  if (!results.ok()) return results;
  Vals values = results.take();
  recorder->applied(op, in, attrs, &values, location_);
  return values;
}

Result<Vals> GraphSink::apply_here(const OpDef& op, std::span<const Val> in, const Attrs& attrs) {
  if (op.has(kInPlace))
    return not_implemented_error("[{}] an in-place op cannot be part of a graph", op.name);
  InlineVec<ValueId, 6> ids;
  InlineVec<const Meta*, 6> metas;
  for (const Val& value : in) {
    if (value && value.sink() != this)
      return internal_error("[{}] an input belongs to another graph", op.name);
    ids.push_back(value ? value.id() : -1);
    metas.push_back(value ? &graph_->meta(value.id()) : nullptr);
  }
  while (!op.signature.variadic && static_cast<int>(ids.size()) < op.signature.num_tensors) {
    ids.push_back(-1);  // optional inputs left out at the end
    metas.push_back(nullptr);
  }
  InferCtx infer(op, metas, attrs);
  if (op.infer) MSJIT_OK(infer_outputs(infer));
  if (must_expand(op)) {
    Vals results = op.expand(this, in, attrs);
    MSJIT_OK(take_error());
    return results;
  }
  if (infer.outputs.empty()) return internal_error("[{}] the op has no shape rule", op.name);
  ValueId first = append(op, ids, attrs, infer.outputs);
  Vals results;
  for (uint32_t i = 0; i < infer.outputs.size(); ++i)
    results.emplace_back(this, first + static_cast<ValueId>(i));
  return results;
}

int GraphSink::num_draws() const {
  return static_cast<int>(std::ranges::count_if(graph_->nodes, is_draw));
}

// The result of the next draw to be repeated; -1, with an error, when that is another op's.
ValueId GraphSink::repeat_draw(const OpDef& op, const Attrs& attrs) {
  int left = repeated_++;
  for (const Node& node : graph_->nodes) {
    if (!is_draw(node) || left-- > 0) continue;
    if (node.op == &op && node.attrs == attrs) return node.first_output;
    break;
  }
  poison(not_implemented_error("[{}] draw to be repeated, got another one or none", op.name));
  return -1;
}

ValueId GraphSink::append(const OpDef& op, std::span<const ValueId> in, const Attrs& attrs,
                          std::span<const Meta> outs, const Subgraphs& subgraphs) {
  const auto add = [&] {
    const ValueId first = graph_->add_op(op, in, attrs, outs, location_);
    graph_->nodes.back().subgraphs = subgraphs;
    return first;
  };
  if (repeated_ >= 0 && op.has(kRandom))
    if (const ValueId drawn = repeat_draw(op, attrs); drawn >= 0) return drawn;
  if (!merging_ || !can_merge(op)) return add();
  InlineVec<ValueId, 3> key = canonical_inputs(op, in);
  size_t hash = hash_node(op, key, attrs);
  auto [it, last] = pure_nodes_.equal_range(hash);
  for (; it != last; ++it) {
    const Node& node = graph_->nodes[it->second];
    if (node.op == &op && node.attrs == attrs && node.subgraphs == subgraphs &&
        canonical_inputs(op, node.inputs) == key)
      return node.first_output;
  }
  pure_nodes_.emplace(hash, static_cast<int32_t>(graph_->nodes.size()));
  return add();
}

ValueId GraphSink::append_like(const Graph& from, const Node& node, std::span<const ValueId> in) {
  InlineVec<Meta, 2> metas;
  for (int32_t i = 0; i < node.num_outputs; ++i) metas.push_back(from.meta(node.first_output + i));
  set_location(node.location);
  return append(*node.op, in, node.attrs, metas, node.subgraphs);
}

Val GraphSink::constant(Tensor value) {
  if (ShapeRecorder* const recorder = std::exchange(recorder_, nullptr)) {
    Val made = constant(std::move(value));
    recorder_ = recorder;
    recorder->constant(made.id());
    return made;
  }
  value = place_table(this, std::move(value));
  size_t hash = hash_constant(value);
  auto [it, last] = pure_nodes_.equal_range(hash);
  for (; it != last; ++it) {
    const Node& node = graph_->nodes[it->second];
    if (node.kind == NodeKind::kConstant && same_constant(node.constant, value))
      return Val(this, node.first_output);
  }
  pure_nodes_.emplace(hash, static_cast<int32_t>(graph_->nodes.size()));
  return Val(this, graph_->add_constant(value.autograd() ? value.detach() : std::move(value)));
}

}  // namespace msjit
