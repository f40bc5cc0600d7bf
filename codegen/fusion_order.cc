// What is better done late. An optimizer's step that is left out where a gradient overflowed reads
// the gradients, as the test for overflow does; but its results are picked behind the last test.
// Done beside a test they would be stored, and read again there.
#include <algorithm>

#include "codegen/fusion.h"
#include "graph/stages.h"

namespace msjit {
namespace {

// A reduction whose kernel does not walk its points again.
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
  std::vector<int32_t> waits(count, -1);  // the last such reduction that a node depends on
  for (int32_t n = 0; n < count; ++n) {
    if (!live[n]) continue;
    for (ValueId id : graph.nodes[n].inputs)
      if (id >= 0) waits[n] = std::max(waits[n], waits[graph.values[id].node]);
    if (roles[n] == FusionRole::kReduce && ends_kernel(graph, graph.nodes[n])) waits[n] = n;
  }
  std::vector<int32_t> needed(count, count);  // first that of its users
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
