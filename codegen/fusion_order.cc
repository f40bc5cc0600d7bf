// Finds nodes that are better computed late. Example: an optimizer's step that is skipped when a
// gradient overflowed. It reads the gradients, and so does the overflow test, but its results are
// only picked after the last test. Computed in the kernel of a test they would be stored there and
// read again later.
#include <algorithm>

#include "codegen/fusion.h"
#include "graph/stages.h"

namespace msjit {
namespace {

// A reduction whose kernel cannot have a later stage over its points.
bool ends_kernel(const Graph& graph, const Node& node) {
  const Shape& space = graph.meta(node.inputs[0]).shape;
  ReduceAxes axes;
  reduce_axes(node, space.rank(), &axes);
  return !stages_fit(space, axes.mask);
}

}  // namespace

std::vector<int32_t> needed_after(const Graph& graph, std::span<const char> live,
                                  std::span<const FusionRole> roles) {
  const auto count = static_cast<int32_t>(graph.nodes.size());
  std::vector<int32_t> waits(count, -1);  // the last reduction of this kind that a node depends on
  for (int32_t n = 0; n < count; ++n) {
    if (!live[n]) continue;
    for (ValueId id : graph.nodes[n].inputs)
      if (id >= 0) waits[n] = std::max(waits[n], waits[graph.values[id].node]);
    if (roles[n] == FusionRole::kReduce && ends_kernel(graph, graph.nodes[n])) waits[n] = n;
  }
  std::vector<int32_t> needed(count, count);  // holds the least value among its users first
  for (ValueId id : graph.outputs) needed[graph.values[id].node] = -1;
  for (int32_t n = count - 1; n >= 0; --n) {
    if (!live[n]) continue;
    const Node& node = graph.nodes[n];
    const bool elementwise = roles[n] == FusionRole::kBody;
    needed[n] = elementwise && needed[n] < count ? std::max(waits[n], needed[n]) : waits[n];
    for (ValueId id : node.inputs) {
      if (id < 0) continue;
      const bool beside =
          elementwise && graph.meta(id).shape == graph.meta(node.first_output).shape;
      int32_t& user = needed[graph.values[id].node];
      user = std::min(user, beside ? needed[n] : -1);
    }
  }
  return needed;
}

}  // namespace msjit
