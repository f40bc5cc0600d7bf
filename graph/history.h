// Which results of a graph have a history: depend on an input that has one. Eager runs know as they
// go; where a branch or a loop on tensors decides, a graph computes it along with the results.
// Writes to a tensor mean different things with and without a history.
#pragma once

#include "graph/ir.h"

namespace msjit {

// Where it takes a run to tell, an output is added to `forward`: a bool, whether the result has a
// history. `tracked`: which inputs have one. Answers with these, one for each of `results`, which
// are outputs of `forward`; -1: it always has.
Result<std::vector<int>> add_histories(std::shared_ptr<Graph>* forward,
                                       std::span<const bool> tracked, std::span<const int> results);

}  // namespace msjit
