// Gradients of If and While. An arm's gradient runs the arm again for the values it needs, so
// nothing crosses from the forward node but its own inputs: if -> if of the arms' gradients; while
// -> while_grad, which runs the loop again, keeps what every iteration started from, and walks back
// over it.
#pragma once

#include "graph/control.h"

namespace msjit {

// One value an input of `node`, invalid where none flows. `output_grads`: invalid = none arrived.
Result<Vals> control_vjp(GraphSink& sink, const Node& node, std::span<const Val> output_grads,
                         std::span<const bool> wanted);

}  // namespace msjit
