// Scan: a loop with a known number of turns, over the rows of some tensors.
//
//   scan(v..., X..., c..., length, carried, scanned, reverse)
//        one sub-graph v..., x..., c... -> v..., y...  run `length` times, at least once: x are the
//        rows X[t], with t from 0 up, or down to 0 with `reverse`. Gives the last v..., which are
//        no views of rows, and the stacked rows Y..., Y[t] being what the turn of t gave.
//
// A second sub-graph, "extends", marks a scan made for a gradient: its first sub-graph computes the
// outputs of that body and then some, on the same inputs. merge_scans puts the two in one.
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
Meta row_meta(Meta meta);  // of a row of such tensors

using RunSubgraph =
    std::function<Status(int sub, std::span<const Tensor> in, std::vector<Tensor>* out)>;
Status run_scan(const Node& node, std::span<const Tensor> in, const RunSubgraph& run,
                std::vector<Tensor>* out);

// A body that was built from `first_node` on, as build_while takes one.
struct ScanParts {
  int64_t length = 0;
  Vals initial, inside, next;  // of carried tensors; `inside` are placeholders
  Vals sequences, rows;        // X and placeholders for its rows
  Vals stacked;                // rows of Y
};
// No node where the body gives nothing.
Result<Vals> build_scan(GraphSink& sink, int32_t first_node, const ScanParts& parts);

}  // namespace msjit
