// Which values of a graph depend on inputs whose gradients are wanted, by ways that gradients take.
#pragma once

#include <span>
#include <vector>

#include "graph/ir.h"

namespace msjit {

// One flag a value. `wanted`: one an input of the graph.
std::vector<bool> active_values(const Graph& graph, const std::vector<bool>& wanted);
// The outputs of one node, given which of its inputs are active. Floats that a control node gives
// count as soon as one of its inputs does; integers, which loops carry as counters, where they do
// depend on one.
std::vector<bool> active_outputs(const Graph& graph, const Node& node,
                                 const std::vector<bool>& inputs);
// Whether gradients of a control node go through integers that it takes or hands on. `wanted`: one
// an input; `arrived`: whether a gradient came back, one an output.
bool is_active_through_integers(const Graph& graph, const Node& node,
                                const std::vector<bool>& wanted, const std::vector<bool>& arrived);

}  // namespace msjit
