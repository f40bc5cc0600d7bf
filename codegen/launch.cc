#include "codegen/launch.h"

#include "kernels/cpu/parallel.h"

namespace msjit {

void launch_parallel(const CompiledKernel& kernel, void* const* operands) {
  parallel_for(
      kernel.extent(), kernel.grain(),
      [&](int64_t begin, int64_t end) { kernel.fn()(operands, begin, end); }, kernel.align());
}

}  // namespace msjit
