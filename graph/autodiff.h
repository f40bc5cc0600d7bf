// Reverse-mode autodiff of a graph: the same OpDef::vjp rules as the tape, run on a GraphSink.
#pragma once

#include "graph/ir.h"

namespace msjit {

// forward: the inputs of the original graph -> its outputs, then the residuals.
// backward: residuals, then one gradient an output (zeros where none arrived) -> one gradient a wanted input.
struct GradGraphs {
  std::shared_ptr<Graph> forward;
  std::shared_ptr<Graph> backward;
  int num_outputs;            // of the original graph; the forward's other outputs are residuals
  std::vector<int> wanted;    // input indices, in the order of backward's outputs
};
Result<GradGraphs> differentiate(const Graph& graph, std::span<const bool> wanted);

}  // namespace msjit
