// Reductions that leave too few points to keep threads busy: they are cut along a folded dim into
// chunks, whose partial results a second kernel folds. Chunks have a size of their own, so results
// do not depend on the number of threads.
#pragma once

#include <optional>

#include "codegen/kernel_spec.h"

namespace msjit {

// Both kernels take the operands of the spec they stand for, and then one array of partial results
// a reduction, of `num_partials` elements of at most 8 bytes.
struct ChunkedSpec {
  KernelSpec parts;   // its first dim is the chunks; writes the partial results
  KernelSpec finish;  // folds these, and does what follows the reductions
  int64_t num_partials;
};

// None where one kernel is as good. `spec` is not open.
std::optional<ChunkedSpec> cut_into_chunks(const KernelSpec& spec);

}  // namespace msjit
