// MSJIT_CHECK=1: compares what a compiled region computed with the graph run op by op on the eager
// kernels. Fused kernels may round differently, so floats agree within a tolerance of their dtype;
// everything else agrees exactly.
#pragma once

#include "graph/ir.h"
#include "kernels/core/random.h"

namespace msjit {

// An internal error that says which output differs and by how much. `random` is the state before
// the region ran; the current state is restored afterwards.
Status compare_with_eager(const Graph& graph, std::span<TensorImpl* const> inputs,
                          std::span<const Tensor> outputs, RandomState random);

}  // namespace msjit
