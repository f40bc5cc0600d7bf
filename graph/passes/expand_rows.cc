// Expands operators over rows (softmax, layer normalisation) or channels (batch normalisation) into
// their composites, so that a fused kernel computes them together with the ops around them. When
// nothing is fused, their own kernels are faster. They are also faster when a row is too long to be
// still in the caches when a later stage reads it again.
#include "graph/passes/passes.h"
#include "graph/rewrite.h"
#include "graph/stages.h"

namespace msjit {
namespace {

bool is_softmax(const Node& node) { return node.op->signature.attr_index("num_axes") < 0; }

// The axes that an operator over rows reduces, as a mask over the axes of its first input.
uint32_t folded_axes(const Node& node, int rank) {
  const Signature& signature = node.op->signature;
  if (const int at = signature.attr_index("num_axes"); !is_softmax(node))
    return ((1u << rank) - 1) & ~((1u << (rank - static_cast<int>(node.attrs[at].as_int()))) - 1);
  const int64_t axis = node.attrs[signature.attr_index("axis")].as_int();
  return 1u << (axis < 0 ? axis + rank : axis);
}

bool is_expanded(const Graph& graph, const Node& node) {
  if (node.op->has(kChannels)) return graph.meta(node.inputs[0]).shape.numel() > 0;
  if (!node.op->has(kRows)) return false;
  const Shape& shape = graph.meta(node.inputs[0]).shape;
  if (shape.rank() == 0) return false;
  if (!graph.meta(node.inputs[0]).device.is_host()) return shape.numel() > 0;  // no other kernel
  const uint32_t folded = folded_axes(node, shape.rank());
  // The kernel of softmax does several short rows at a time.
  constexpr int64_t kShortRow = 32;
  const int last = shape.rank() - 1;
  if (folded == 1u << last && shape[last] < kShortRow && is_softmax(node)) return false;
  return stages_fit(shape, folded);
}

}  // namespace

Result<bool> expand_rows(Graph& graph) { return expand_composites(graph, is_expanded); }

}  // namespace msjit
