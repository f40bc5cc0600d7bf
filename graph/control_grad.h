// Gradients of If, While and Scan. The gradient of an arm runs the arm again for the values it
// needs. So the only values kept from the forward node are its inputs.
//
// - if: an If over the gradients of the two arms;
// - while: a while_grad, which runs the loop again, keeps the state at the start of every iteration
//   and then walks back over the iterations;
// - scan: a scan over values that the forward scan stacks for it (scan_grad.cc).
//
// The arms may give gradients for different inputs, and a loop may give a gradient in some of its
// iterations only. Then a bool travels with the gradient (grad.h).
#pragma once

#include <unordered_map>

#include "graph/control.h"
#include "graph/grad.h"

namespace msjit {

struct ControlGrads {
  std::vector<Grad> grads;  // one per input of the node
  // For the first inputs of the node that computes these gradients: whether a gradient rule reads
  // the input's data. The node reads the data anyway, to run the arm or the loop again; that alone
  // does not count.
  std::vector<bool> reads;
};
// By node of a joint graph: ControlGrads::reads of the control nodes that compute gradients.
using ControlReads = std::unordered_map<int32_t, std::vector<bool>>;

Result<ControlGrads> scan_vjp(GraphSink& sink, const Node& node, std::span<const Grad> output_grads,
                              std::span<const bool> wanted);
Result<ControlGrads> control_vjp(GraphSink& sink, const Node& node,
                                 std::span<const Grad> output_grads, std::span<const bool> wanted);

}  // namespace msjit
