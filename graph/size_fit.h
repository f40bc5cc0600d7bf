// Guesses how a number depends on the open sizes by evaluating it at other sizes. A guess is never
// trusted: its user checks it for the sizes of each rebuild (shape_trace.h).
#pragma once

#include <functional>
#include <vector>

#include "graph/size_expr.h"

namespace msjit {

// The number for these sizes; false when it has none.
using SizeFunction = std::function<bool(const std::vector<int64_t>& sizes, int64_t* out)>;

// An expression that gives `base` at `hints` and agrees with `f` at sizes near them. It is affine,
// affine and rounded down, or a product or sum of the symbols in `symbols`. Null when nothing fits.
SizeExpr fit_size(const std::vector<int64_t>& hints, uint64_t symbols, int64_t base,
                  const SizeFunction& f);

}  // namespace msjit
