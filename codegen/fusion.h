// Fusion: partitions the live op nodes of a graph into groups. Each group becomes one step of the
// plan. A group is a single node run by its own kernel, or nodes that run in one loop nest:
// elementwise nodes over one iteration space (the body), reductions of them over equal axes, and
// elementwise nodes that use the results. The latter run over the kept dims (the tail), or over all
// points again in a later stage: a softmax is one group. Merging never creates a cycle between
// groups, and the groups are returned in an executable order.
#pragma once

#include "graph/ir.h"

namespace msjit {

enum class FusionRole : uint8_t { kNone, kBody, kReduce, kTail };

struct FusionGroup {
  std::vector<int32_t> nodes;     // ascending
  std::vector<FusionRole> roles;  // one for each of `nodes`
  Shape space;                    // iteration space of the body
  uint32_t reduced = 0;           // reduced dims of space
  bool keepdims = false;
  bool fused = false;  // false: one node run by its own kernel
};

std::vector<FusionGroup> fuse(const Graph& graph);

// An op that draws random numbers or has effects: runs in program order, on its own.
bool keeps_order(const Node& node);
bool fusable_elementwise(const Graph& graph, const Node& node);
bool fusable_reduction(const Graph& graph, const Node& node);

// By node: the last reduction that all uses of an elementwise node wait for, or at least the last
// one that the node itself depends on; -1: none. (For other nodes only the latter.) A reduction
// counts when its result cannot be read by a loop over the reduced points in the same kernel. The
// node is then better computed after that reduction. `roles`: the role each node has by itself.
std::vector<int32_t> needed_after(const Graph& graph, std::span<const char> live,
                                  std::span<const FusionRole> roles);

bool fusion_enabled();     // not switched off by MSJIT_DISABLE
bool has_fused_kernels();  // and a code generator is available

// The axes that a reduction node reduces, as a bit mask over its input's dims, and its keepdims
// flag.
struct ReduceAxes {
  uint32_t mask = 0;
  bool keepdims = false;
};
bool reduce_axes(const Node& node, int rank, ReduceAxes* out);

}  // namespace msjit
