// Runs a compiled kernel over its whole range, on several threads when the range is long enough.
#pragma once

#include "codegen/kernel_cache.h"

namespace msjit {

// A kernel for one set of sizes.
struct BoundKernel {
  FusedFn fn = nullptr;
  LaunchRange range;
  const int64_t* sizes = nullptr;  // of an open kernel
  // A kernel in chunks hands arrays of partial results on to one that finishes them.
  const BoundKernel* finish = nullptr;
  size_t num_reduces = 0;
  int64_t num_partials = 0;  // of each reduction, at most 8 bytes each
};

// Like launch().
bool launch_chunks(const BoundKernel& kernel, void** operands, size_t count);
void launch_parallel(const BoundKernel& kernel, void* const* operands);

// `operands` has room for one more pointer than the kernel has operands, `count`. False when there
// is no memory for partial results.
[[nodiscard]] inline bool launch(const BoundKernel& kernel, void** operands, size_t count) {
  if (kernel.finish) [[unlikely]]
    return launch_chunks(kernel, operands, count);
  if (kernel.sizes) operands[count] = const_cast<int64_t*>(kernel.sizes);
  if (kernel.range.extent < 2 * kernel.range.grain) [[likely]] {
    kernel.fn(operands, 0, kernel.range.extent);
  } else {
    launch_parallel(kernel, operands);
  }
  return true;
}

}  // namespace msjit
