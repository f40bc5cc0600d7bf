// Which nodes may be part of a fused loop.
#include <cstring>

#include "codegen/backend.h"
#include "codegen/fusion.h"
#include "kernels/core/log.h"

namespace msjit {
namespace {

// Runs the op's own kernel on one zero element. An op that its kernel refuses (because of a dtype,
// say) must not be fused, so that compiled runs raise the same error.
bool accepted(const Graph& graph, const Node& node) {
  auto one = [&](ValueId id) {
    Shape shape;
    for (int i = 0; i < graph.meta(id).shape.rank(); ++i) shape.push_back(1);
    auto t = Tensor::empty(Meta{graph.meta(id).dtype, graph.meta(id).weak, shape});
    if (!t.ok()) return Tensor();
    std::memset(t.value().data(), 0, static_cast<size_t>(t.value().nbytes()));
    return t.take();
  };
  KernelFn kernel = node.op->host_kernel();
  if (!kernel) return false;
  InlineVec<Tensor, 4> in;
  for (ValueId id : node.inputs) in.push_back(id < 0 ? Tensor() : one(id));
  Tensor out = one(node.first_output);
  KernelCtx ctx{*node.op, in, {&out, 1}, node.attrs};
  return out && kernel(ctx).ok();
}

// Complex numbers have their own kernels and no fused loops.
bool is_real(const Graph& graph, const Node& node) {
  if (is_complex(graph.meta(node.first_output).dtype)) return false;
  for (ValueId id : node.inputs)
    if (id >= 0 && is_complex(graph.meta(id).dtype)) return false;
  return true;
}

bool is_traced(const Graph& graph, const Node& node) {
  InlineVec<const Meta*, 4> metas;
  for (ValueId id : node.inputs) metas.push_back(id < 0 ? nullptr : &graph.meta(id));
  return trace_for(*node.op, compute_dtype(*node.op, metas)) != nullptr;
}

}  // namespace

bool keeps_order(const Node& node) {
  return node.kind == NodeKind::kOp && (node.op->has(kRandom) || !node.op->has(kPure));
}

bool fusable_elementwise(const Graph& graph, const Node& node) {
  if (node.kind != NodeKind::kOp || keeps_order(node) || node.num_outputs != 1) return false;
  if (!node.op->has(kElementwise) || !is_real(graph, node) || !is_traced(graph, node)) return false;
  return graph.meta(node.first_output).shape.numel() > 0 && accepted(graph, node);
}

bool fusable_reduction(const Graph& graph, const Node& node) {
  if (node.kind != NodeKind::kOp || node.num_outputs != 1 || node.inputs.size() != 1) return false;
  if (!node.op->has(kReduction) || node.op->reduce_kind == ReduceKind::kNone) return false;
  // Fused loops add up integers in int64, which is wrong for wide unsigned ones.
  if (!is_real(graph, node) || is_wide_unsigned(graph.meta(node.first_output).dtype)) return false;
  const Shape& shape = graph.meta(node.inputs[0]).shape;
  ReduceAxes axes;
  return shape.numel() > 0 && reduce_axes(node, shape.rank(), &axes) && axes.mask != 0 &&
         accepted(graph, node);
}

bool fusion_enabled() {
  static const bool disabled =
      ("," + env_text("MSJIT_DISABLE") + ",").find(",fusion,") != std::string::npos;
  return !disabled;
}

bool has_fused_kernels() { return fusion_enabled() && has_backend(); }

bool reduce_axes(const Node& node, int rank, ReduceAxes* out) {
  const Signature& signature = node.op->signature;
  int axis = signature.attr_index("axis");
  int keep = signature.attr_index("keepdims");
  if (axis < 0) return false;
  out->keepdims = keep >= 0 && node.attrs[keep].as_bool();
  const AttrValue& value = node.attrs[axis];
  auto add = [&](int64_t a) {
    if (a < 0) a += rank;
    if (a < 0 || a >= rank) return false;
    out->mask |= 1u << a;
    return true;
  };
  out->mask = 0;
  switch (value.kind()) {
    case AttrValue::Kind::kNone: out->mask = (1u << rank) - 1; return true;
    case AttrValue::Kind::kInt: return add(value.as_int());
    case AttrValue::Kind::kIntList: {
      if (value.as_list().empty())
        return false;  // the op's own kernel knows what an empty list means
      for (int64_t a : value.as_list())
        if (!add(a)) return false;
      return true;
    }
    default: return false;
  }
}

}  // namespace msjit
