// If and While: nodes that hold sub-graphs (the arms of a branch, the body of a loop). They are
// pure: build_if and build_while refuse an arm or a body that draws random numbers or writes. The
// inputs of a sub-graph are the values it takes from outside. When an output of a sub-graph is one
// of its inputs, the node hands on that very tensor. So a value keeps its identity through a branch
// that leaves it alone. Loops with a known number of turns are in scan.h.
//
//   if(p, c...)           two sub-graphs c... -> outputs of equal metas; p has one element
//   while(v..., c...)     one sub-graph v..., c... -> again, v...: runs at least once, and as long
//                         as `again` is true
//   while_grad(v..., c..., g...)  sub-graphs: the body, and a step v..., c..., g... -> g... that is
//                         run once for every iteration of the loop, last one first
#pragma once

#include "graph/graph_sink.h"
#include "graph/poll.h"
#include "graph/scan.h"

namespace msjit {

extern const OpDef op_if, op_while, op_while_grad;
inline bool is_if(const Node& node) { return node.op == &op_if; }
inline bool is_while(const Node& node) { return node.op == &op_while; }

// "then" and "else", "body", "step": how the text form names them.
const char* subgraph_name(const OpDef& op, size_t index);
// The control op of this name; null for others.
const OpDef* find_control_op(std::string_view name);

// Wiring, counts and metas of a control node against its sub-graphs, which are verified too.
Status verify_control(const Graph& graph, const Node& node);
// Metas of a node's outputs given its sub-graphs.
std::vector<Meta> control_outputs(const OpDef& op, const GraphSink::Subgraphs& subgraphs);

// viewed(): the value that `id` is a direct view of, or -1 when it is no view. storage_root(): the
// value at the end of such a chain of views.
ValueId viewed(const Graph& graph, ValueId id);
ValueId storage_root(const Graph& graph, ValueId id);
// Whether `id` is a view, or the result of a branch or loop that may return one.
bool may_be_view(const Graph& graph, ValueId id);

// Values that passes must neither merge with equal values nor replace, because the program can tell
// which tensor they are. These are the inputs of control nodes, which the node may hand on, and
// what these are views of. Where at least `sharing` outputs show one storage, the chains of views
// from these outputs to the value that owns it belong to them too.
std::vector<bool> kept_apart(const Graph& graph, int sharing = 2);

// -- Running: one definition for the reference evaluator and for compiled plans.
Result<bool> truth_of(const Tensor& t);  // of one element, any dtype, on any device
Status run_control(const Node& node, std::span<const Tensor> in, const RunSubgraph& run,
                   std::vector<Tensor>* out);

// -- Building. Both front ends run an arm or a body on the sink of the whole graph. Its nodes are
// those from `first_node` on. The nodes that its results need are then copied into a sub-graph; the
// originals become dead code.

// Whether two values, one from either arm, can become one value behind the branch.
bool can_join(const Meta& a, const Meta& b);
// Returns one value per pair. An error when the arms draw random numbers or write.
Result<Vals> build_if(GraphSink& sink, const Val& predicate, int32_t first_node,
                      std::span<const Val> then_values, std::span<const Val> else_values);
// `carried` are the placeholders the body was run on, `initial` their first values.
Result<Vals> build_while(GraphSink& sink, int32_t first_node, std::span<const Val> initial,
                         std::span<const Val> carried, const Val& again, std::span<const Val> next);

}  // namespace msjit
