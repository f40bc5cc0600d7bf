// Every pass by name; pipeline.cc puts them in order. A pass says whether it changed the graph.
#pragma once

#include "graph/ir.h"

namespace msjit {

Result<bool> select_writes(Graph& graph);   // a branch that only decides what is written -> `where`
Result<bool> merge_scans(Graph& graph);     // a scan and its extension for a gradient -> one scan
Result<bool> lift_products(Graph& graph);   // products of rows, and sums of products, out of scans
Result<bool> dead_code(Graph& graph);       // drops nodes that nothing depends on
Result<bool> merge_equal(Graph& graph);     // equal pure nodes become one
Result<bool> fold_constants(Graph& graph);  // evaluates nodes whose operands are known
Result<bool> simplify(Graph& graph);        // the rules of graph/rules except the fusing ones
Result<bool> join_products(Graph& graph);   // a sum of products of columns -> one product
Result<bool> slice_first(Graph& graph);     // moves slices before elementwise ops
Result<bool> expand_rows(Graph& graph);     // softmax, norms -> their composites
Result<bool> fuse_linear(Graph& graph);     // matmul + bias (+ relu) -> linear, linear_act
Result<bool> stack_products(Graph& graph);  // products with one matrix -> one product
Result<bool> slice_batches(Graph& graph);   // runs large batches of images in slices

}  // namespace msjit
