// Reverse-mode differentiation of a graph. The OpDef::vjp rules that the tape uses run here on a
// GraphSink. They append the gradients to a copy of the graph; the result is the joint graph. The
// joint graph is then cut into a forward and a backward graph. The cut is where the fewest bytes
// cross. Values that are cheap to compute again do not cross: the backward graph recomputes them.
#pragma once

#include "graph/control_grad.h"
#include "graph/graph_sink.h"

namespace msjit {

// A residual: a value of the forward run that the backward graph takes as an input.
struct Residual {
  enum class From : uint8_t { kInput, kOutput, kExtra };
  From from;
  int index;  // among the inputs, the original outputs, or the extra outputs of `forward`
  friend bool operator==(const Residual&, const Residual&) = default;
};

// Its inputs are the residuals, then the gradients of some outputs. Its outputs are the gradients
// of inputs of the original graph, then bools that say which of these gradients arrived.
struct BackwardGraph {
  std::shared_ptr<Graph> graph;
  std::vector<int> inputs;   // of the original graph, one for each of the first outputs, ascending
  std::vector<int> arrives;  // for each: the output that tells whether its gradient arrives, or -1
};

// Makes backward graphs. Not thread-safe.
class JointGraph {
 public:
  virtual ~JointGraph() = default;
  // `given`: for each of grad_outputs, whether a gradient arrived there.
  virtual Result<BackwardGraph> backward(std::span<const bool> given) = 0;
};

// The inputs of `forward` are those of the original graph. Its outputs are those of the original
// graph, then the extra outputs, then bools (see `histories`). The forward and backward graphs are
// plain graphs, so interpret_on can differentiate them again.
struct GradGraphs {
  std::shared_ptr<Graph> forward;
  BackwardGraph backward;  // of gradients for all of grad_outputs
  int num_outputs = 0;     // of the original graph
  int num_extras = 0;
  std::vector<Residual> residuals;
  std::vector<int> grad_outputs;      // original outputs that gradients go through, ascending
  std::vector<int> histories;         // for each: the output with its history's bool, or -1
  std::shared_ptr<JointGraph> joint;  // for gradients of some outputs only
};
Result<GradGraphs> differentiate(const Graph& graph, std::span<const bool> wanted);

// The gradient of an arm or a body as one graph that also computes the original (control_grad.h).
// It has no outputs yet; the caller adds them. Its inputs are the inputs of the original, then one
// gradient for each output whose gradient arrives (kSometimes or kAlways), then one bool for each
// output whose gradient arrives only sometimes.
struct VjpGraph {
  std::shared_ptr<Graph> graph;
  std::vector<ValueId> grads;    // one per wanted input; -1: never arrives
  std::vector<ValueId> arrives;  // the bool of each; -1: always
  std::vector<bool> reads;       // one per input of the original: whether a rule reads its data
  std::vector<ValueId> outputs;  // of the original, in this graph
};
Result<VjpGraph> vjp_graph(const Graph& graph, std::span<const bool> wanted,
                           std::span<const Arrival> arrivals);

// The gradients of a node's inputs, one per input, by the rule of its op or through its sub-graphs.
// At least one output gradient must arrive. A rule runs when any of them arrives, with zeros for
// the others. Sub-graphs of control nodes treat each output gradient separately. `reads` may be
// null.
Result<std::vector<Grad>> input_gradients(GraphSink& sink, const Node& node,
                                          std::span<const bool> wanted,
                                          std::span<const Grad> output_grads, ControlReads* reads);

// The values of the joint graph to keep so that all of `required` can be computed from them;
// ascending. `outputs` are values that stay alive anyway. `copied` has one flag per value: whether
// it would be kept as a copy. graph/residuals.cc has the cost model.
std::vector<ValueId> choose_residuals(const Graph& joint, std::span<const ValueId> required,
                                      std::span<const ValueId> outputs,
                                      const std::vector<bool>& copied);

}  // namespace msjit
