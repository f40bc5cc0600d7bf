// Scan: a loop with a known number of turns, over the rows of some tensors.
//
//   scan(v..., X..., c..., length, carried, scanned, reverse)
//
// Its one sub-graph, v..., x..., c... -> v..., y..., runs `length` times, at least once. v are the
// carried values, c the captured ones, x the rows X[t]. t goes from 0 up, or down to 0 with
// `reverse`. The node returns the last v..., which are never views of rows, and the stacked tensors
// Y..., where Y[t] is the y of turn t.
//
// A second sub-graph, "extends", marks a scan made for a gradient. Its first sub-graph then
// computes the outputs of "extends" and more, on equal inputs. The pass merge_scans replaces the
// two scans by one.
#pragma once

#include <functional>

#include "graph/graph_sink.h"

namespace msjit {

extern const OpDef op_scan;
inline bool is_scan(const Node& node) { return node.op == &op_scan; }

// What the attributes and the sub-graph of a scan say.
struct ScanShape {
  int64_t length;
  size_t carried, scanned, captured, stacked;
  bool reverse;
  size_t inputs() const { return carried + scanned + captured; }
  size_t outputs() const { return carried + stacked; }
  int64_t row(int64_t turn) const { return reverse ? length - 1 - turn : turn; }
};
ScanShape scan_shape(const Node& node);
Attrs scan_attrs(int64_t length, size_t carried, size_t scanned, bool reverse);

Status verify_scan(const Graph& graph, const Node& node);
// The metas of a scan with this body.
std::vector<Meta> scan_outputs(const Graph& body, const Attrs& attrs);
Meta row_meta(Meta meta);  // the meta of a tensor -> that of one of its rows

using RunSubgraph =
    std::function<Status(int sub, std::span<const Tensor> in, std::vector<Tensor>* out)>;
Status run_scan(const Node& node, std::span<const Tensor> in, const RunSubgraph& run,
                std::vector<Tensor>* out);

// A body whose nodes are those from `first_node` on, as for build_while.
struct ScanParts {
  int64_t length = 0;
  Vals initial, inside, next;  // of carried tensors; `inside` are placeholders
  Vals sequences, rows;        // X and placeholders for its rows
  Vals stacked;                // rows of Y
};
// Adds no node when the body has no results.
Result<Vals> build_scan(GraphSink& sink, int32_t first_node, const ScanParts& parts);

}  // namespace msjit
