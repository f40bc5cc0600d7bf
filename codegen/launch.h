// Runs a compiled kernel over its whole range, on several threads when the range is long enough.
#pragma once

#include "codegen/kernel_cache.h"

namespace msjit {

void launch_parallel(const CompiledKernel& kernel, void* const* operands);

inline void launch(const CompiledKernel& kernel, void* const* operands) {
  if (kernel.extent() < 2 * kernel.grain()) [[likely]] {
    kernel.fn()(operands, 0, kernel.extent());
  } else {
    launch_parallel(kernel, operands);
  }
}

}  // namespace msjit
