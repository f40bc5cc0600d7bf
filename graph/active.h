// Active values: the values of a graph that depend on an input whose gradient is wanted, through
// ops that pass gradients on.
#pragma once

#include <span>
#include <vector>

#include "graph/ir.h"

namespace msjit {

// One flag per value of the graph. `wanted` has one flag per input of the graph.
std::vector<bool> active_values(const Graph& graph, const std::vector<bool>& wanted);
// Which outputs of one node are active, given which of its inputs are. A float output of a control
// node is active as soon as one of the node's inputs is. An integer output (often a loop's counter)
// is active only if the sub-graph makes it depend on an active input.
std::vector<bool> active_outputs(const Graph& graph, const Node& node,
                                 const std::vector<bool>& inputs);
// Whether gradients of a control node go through integers that it takes or hands on. `wanted` has
// one flag per input. `arrived` has one flag per output: whether its gradient came back.
bool is_active_through_integers(const Graph& graph, const Node& node,
                                const std::vector<bool>& wanted, const std::vector<bool>& arrived);

}  // namespace msjit
