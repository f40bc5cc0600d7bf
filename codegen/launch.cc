#include "codegen/launch.h"

namespace msjit {

void launch_parallel(const CompiledKernel& kernel, void* const* operands) {
  kernel.fn()(operands, 0, kernel.extent());
}

}  // namespace msjit
