// A value has a history when it depends on an input that has one, through ops that pass gradients
// on. Eager execution knows this as it runs. In a graph with a branch or a loop on tensor values it
// may differ from run to run, so the graph computes a bool for it. It matters because an in-place
// write to a tensor is treated differently with and without a history.
#pragma once

#include "graph/ir.h"

namespace msjit {

// Adds outputs to `forward`: bools that tell whether a result has a history. `tracked` says which
// inputs have one; `results` are outputs of `forward`. Answers with one number per result: the
// output that holds its bool, or -1 where the result always has a history.
Result<std::vector<int>> add_histories(std::shared_ptr<Graph>* forward,
                                       std::span<const bool> tracked, std::span<const int> results);

}  // namespace msjit
