#include "codegen/launch.h"

#include "kernels/cpu/parallel.h"

namespace msjit {

void launch_parallel(const BoundKernel& kernel, void* const* operands) {
  parallel_for(
      kernel.range.extent, kernel.range.grain,
      [&](int64_t begin, int64_t end) { kernel.fn(operands, begin, end); }, kernel.range.align);
}

}  // namespace msjit
