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

// What a machine makes of a reduction that is not cut, and what it asks of chunks.
struct ChunkLimits {
  int64_t parts;   // that the kept points give it to work on side by side
  int64_t enough;  // of these: nothing is cut
  int64_t most;    // chunks
  int64_t work;    // elements that a chunk should have
};
ChunkLimits host_limits(const KernelSpec& spec);

// None where one kernel is as good. `spec` is not open.
std::optional<ChunkedSpec> cut_into_chunks(const KernelSpec& spec, const ChunkLimits& limits);
inline std::optional<ChunkedSpec> cut_into_chunks(const KernelSpec& spec) {
  return cut_into_chunks(spec, host_limits(spec));
}

}  // namespace msjit
