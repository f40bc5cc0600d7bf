// Reductions that keep too few points to give every thread work. They are cut along a reduced dim
// into chunks. One kernel reduces each chunk to partial results, a second kernel reduces these. The
// size of a chunk does not depend on the number of threads, so neither do the results.
#pragma once

#include <optional>

#include "codegen/kernel_spec.h"

namespace msjit {

// Both kernels take the operands of the original spec, followed by one array of partial results per
// reduction. An array has `num_partials` elements of at most 8 bytes.
struct ChunkedSpec {
  KernelSpec parts;   // its first dim counts the chunks; writes the partial results
  KernelSpec finish;  // reduces these, then computes what follows the reductions
  int64_t num_partials;
};

// What decides whether a machine cuts a reduction, and into how many chunks.
struct ChunkLimits {
  int64_t parts;   // how many parts of the uncut kernel can run in parallel
  int64_t enough;  // with at least so many parts nothing is cut
  int64_t most;    // most chunks
  int64_t work;    // elements that a chunk should have at least
};
ChunkLimits host_limits(const KernelSpec& spec);

// None when one kernel is as good. `spec` is not open.
std::optional<ChunkedSpec> cut_into_chunks(const KernelSpec& spec, const ChunkLimits& limits);
inline std::optional<ChunkedSpec> cut_into_chunks(const KernelSpec& spec) {
  return cut_into_chunks(spec, host_limits(spec));
}

}  // namespace msjit
