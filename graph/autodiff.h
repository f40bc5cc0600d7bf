// Reverse-mode autodiff of a graph: the same OpDef::vjp rules as the tape, run on a GraphSink. The
// joint graph is cut in two where the fewest bytes cross; values that are cheap to compute again do
// not cross at all.
#pragma once

#include "graph/ir.h"

namespace msjit {

// A value the backward graph takes from the forward run.
struct Residual {
  enum class From : uint8_t { kInput, kOutput, kExtra };
  From from;
  int index;  // among the inputs, the original outputs, or the extra outputs of `forward`
  friend bool operator==(const Residual&, const Residual&) = default;
};

// forward: the inputs of the original graph -> its outputs, then the extra outputs.
// backward: residuals, then one gradient for each of grad_outputs -> one gradient a wanted input.
// Both are plain graphs; backward can be differentiated again through interpret_on.
struct GradGraphs {
  std::shared_ptr<Graph> forward;
  std::shared_ptr<Graph> backward;
  int num_outputs = 0;  // of the original graph; the forward's other outputs are extra
  std::vector<Residual> residuals;
  std::vector<int> grad_outputs;  // original outputs whose gradient matters, ascending
  std::vector<int> wanted;        // input indices, in the order of backward's outputs
};
Result<GradGraphs> differentiate(const Graph& graph, std::span<const bool> wanted);

// The gradient as one graph that computes `graph` again: inputs of `graph`, then a gradient for
// each output that is `given` -> one gradient a wanted input. For arms and bodies (control_grad.h).
Result<std::shared_ptr<Graph>> vjp_graph(const Graph& graph, std::span<const bool> wanted,
                                         std::span<const bool> given);

// Which of the joint graph's values to keep so that all of `required` can be had again; ascending.
// `outputs` are values that stay alive anyway. graph/residuals.cc has the cost model.
std::vector<ValueId> choose_residuals(const Graph& joint, std::span<const ValueId> required,
                                      std::span<const ValueId> outputs);

}  // namespace msjit
