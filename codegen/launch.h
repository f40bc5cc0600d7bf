// Runs a compiled kernel over its whole range, on several threads when the range is long.
#pragma once

#include "codegen/kernel_cache.h"

namespace msjit {

// A kernel together with one set of sizes.
struct BoundKernel {
  FusedFn fn = nullptr;
  LaunchRange range;
  const int64_t* sizes = nullptr;  // of an open kernel
  // For a reduction cut into chunks: the kernel that reduces the partial results.
  const BoundKernel* finish = nullptr;
  size_t num_reduces = 0;
  int64_t num_partials = 0;  // of each reduction, at most 8 bytes each
};

// The parts of launch() that are rarely needed.
bool launch_chunks(const BoundKernel& kernel, void** operands, size_t count);
void launch_parallel(const BoundKernel& kernel, void* const* operands);

// `operands` holds the kernel's `count` operands and has room for one more pointer. False when
// there is no memory for partial results.
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
