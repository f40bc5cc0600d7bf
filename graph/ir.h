// Graph: the one intermediate representation, in SSA form. Nodes stand in topological order. Each
// names an op, its input values, attributes and source line; each value has a Meta (dtype, shape,
// device). If, While and Scan are nodes that hold sub-graphs (control.h, scan.h). A GraphSink
// builds a graph (graph_sink.h). It can be printed, parsed, verified and interpreted, and is not
// changed any more after the pipeline.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/chunked.h"
#include "kernels/core/op.h"

namespace msjit {

using ValueId = int32_t;
class Graph;

struct SourceLocation {
  const char* file = nullptr;  // interned
  int line = 0;
  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

enum class NodeKind : uint8_t { kInput, kConstant, kOp };

struct Node {
  NodeKind kind = NodeKind::kOp;
  const OpDef* op = nullptr;     // kOp
  Tensor constant;               // kConstant
  int32_t input_index = -1;      // kInput; -1 = a placeholder of a loop being captured
  InlineVec<ValueId, 3> inputs;  // -1 = absent optional input
  Attrs attrs;
  ValueId first_output = -1;  // outputs are first_output .. first_output + num_outputs - 1
  int32_t num_outputs = 1;
  SourceLocation location;
  std::vector<std::shared_ptr<const Graph>> subgraphs;  // of control nodes; shared, never changed
  bool is_control() const { return !subgraphs.empty(); }
  int num_ops() const;  // 1 for an op, and those in its sub-graphs
};

struct ValueInfo {
  Meta meta;
  int32_t node = -1;  // defining node
};

// An output whose only use is to replace the contents of an input after the run: new Parameters,
// moments. Nothing else reads that output, and nothing but the graph reads the old contents of the
// input. So the run may write the result over the input in place.
struct Overwrite {
  int32_t output, input;
  friend bool operator==(const Overwrite&, const Overwrite&) = default;
};

class Graph {
 public:
  Chunked<Node> nodes;  // references to nodes and metas stay valid while nodes are appended
  Chunked<ValueInfo> values;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<Overwrite> overwrites;  // of the graph as captured
  // Once the region has run, nothing can make its caller discard the run and repeat it in CPython.
  // So overwrites need not wait for the end of the run.
  bool writes_early = false;
  std::string name;

  ValueId add_input(const Meta& meta);
  ValueId add_constant(Tensor value);
  // Appends a node whose output metas are given (the sink has run infer). Returns its first output.
  ValueId add_op(const OpDef& op, std::span<const ValueId> in, const Attrs& attrs,
                 std::span<const Meta> outs, SourceLocation location);
  // Stands for a carried value or a row of a loop while its body is being captured. It is no input
  // of the graph.
  ValueId add_placeholder(const Meta& meta);
  const Meta& meta(ValueId id) const { return values[id].meta; }
  const Node& producer(ValueId id) const { return nodes[values[id].node]; }
  int num_ops() const;  // those in sub-graphs included
};

// Calls of other processes are never in sub-graphs.
inline bool is_collective(const Node& node) {
  return node.kind == NodeKind::kOp && node.op->has(kCollective);
}
bool calls_processes(const Graph& graph);

// The device of a graph's values; the host when all of them are there.
Device device_of(const Graph& graph);

// Whether two graphs are the same program on equal constants: node for node, with equal metas and
// source lines. Constants of more than kMaxComparedBytes are compared by address.
bool same_graph(const Graph& a, const Graph& b);
// Equal for equal graphs; constants and source lines do not enter it.
size_t hash_graph(const Graph& graph);
bool same_constant(const Tensor& a, const Tensor& b);
inline size_t mix_hash(size_t seed, size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2));
}
inline constexpr int64_t kMaxComparedBytes = 256;  // larger constants are compared by address

// One node a line: `%3: float32[64, 10] = matmul(%1, %2, transpose_b=true)  # net.py:12`. Numbers
// follow the order of inputs, then nodes, so equal graphs print equally. Attributes at their
// default are left out.
std::string print(const Graph& graph);
std::string print_node(const Graph& graph, const Node& node);  // with the ids of this graph
// Reads what print() writes (constants only up to kMaxPrintedConstant elements); metas are checked
// against infer.
Result<std::shared_ptr<Graph>> parse_graph(std::string_view text);
inline constexpr int64_t kMaxPrintedConstant = 64;
const char* intern_file(std::string_view file);  // for SourceLocation
// Topological order, metas equal to what infer gives, inputs in range: an InternalError names the
// offending node.
Status verify(const Graph& graph);
// Reference evaluator: runs node by node on the given sink (the eager one by default).
Result<std::vector<Tensor>> interpret(const Graph& graph, std::span<const Tensor> inputs);
// interpret() as part of a compiled run: nothing is recorded on the tape or counted as eager.
Result<std::vector<Tensor>> interpret_untracked(const Graph& graph, std::span<const Tensor> inputs);
Result<Vals> interpret_on(OpSink* sink, const Graph& graph, std::span<const Val> inputs);

}  // namespace msjit
