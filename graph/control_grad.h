// Gradients of If and While. An arm's gradient runs the arm again for the values it needs, so
// nothing crosses from the forward node but its own inputs: if -> if of the arms' gradients; while
// -> while_grad, which runs the loop again, keeps what every iteration started from, and walks back
// over it; scan -> a scan over what the forward one then keeps (scan_grad.cc). Where the arms
// differ in which gradients they give, or a loop meets them in some of its iterations only, a bool
// travels with the gradient (grad.h).
#pragma once

#include <unordered_map>

#include "graph/control.h"
#include "graph/grad.h"

namespace msjit {

struct ControlGrads {
  std::vector<Grad> grads;  // one an input of the node
  // For the first inputs of the node that gives them: whether a rule reads that data, which is read
  // to run again in any case.
  std::vector<bool> reads;
};
// By node of a joint graph: `reads` of the nodes that give gradients.
using ControlReads = std::unordered_map<int32_t, std::vector<bool>>;

Result<ControlGrads> scan_vjp(GraphSink& sink, const Node& node, std::span<const Grad> output_grads,
                              std::span<const bool> wanted);
Result<ControlGrads> control_vjp(GraphSink& sink, const Node& node,
                                 std::span<const Grad> output_grads, std::span<const bool> wanted);

}  // namespace msjit
