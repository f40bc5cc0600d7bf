// Fusion: partitions the live op nodes of a graph into groups, each one step of the plan.
// A group is a single node, or elementwise nodes over one iteration space with reductions over the
// same axes, themselves followed by elementwise nodes over the kept dims, or over all again: a
// softmax is one group.
// Merging never creates a cycle between groups, and groups come back in an executable order.
#pragma once

#include "graph/ir.h"

namespace msjit {

enum class FusionRole : uint8_t { kNone, kBody, kReduce, kTail };

struct FusionGroup {
  std::vector<int32_t> nodes;     // ascending
  std::vector<FusionRole> roles;  // beside nodes
  Shape space;                    // iteration space of the body
  uint32_t reduced = 0;           // folded dims of space
  bool keepdims = false;
  bool fused = false;  // false: one node run by its own kernel
};

std::vector<FusionGroup> fuse(const Graph& graph);

// An op that draws random numbers or has effects: runs in program order, on its own.
bool keeps_order(const Node& node);
bool fusable_elementwise(const Graph& graph, const Node& node);
bool fusable_reduction(const Graph& graph, const Node& node);

// By node: the last reduction that all uses of an elementwise node wait for, whose results no loop
// over the same points can read; its own where there is none later.
// `roles`: of each node by itself.
std::vector<int32_t> needed_after(const Graph& graph, std::span<const char> live,
                                  std::span<const FusionRole> roles);

bool fusion_enabled();     // not switched off by MSJIT_DISABLE
bool has_fused_kernels();  // and there is what compiles them

// Axes a reduction node folds, as a bit mask over its input's dims, and its keepdims flag.
struct ReduceAxes {
  uint32_t mask = 0;
  bool keepdims = false;
};
bool reduce_axes(const Node& node, int rank, ReduceAxes* out);

}  // namespace msjit
