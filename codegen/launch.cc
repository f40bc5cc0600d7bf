#include "codegen/launch.h"

#include "kernels/core/inline_vec.h"
#include "kernels/core/storage.h"
#include "kernels/cpu/parallel.h"

namespace msjit {

void launch_parallel(const BoundKernel& kernel, void* const* operands) {
  parallel_for(
      kernel.range.extent, kernel.range.grain,
      [&](int64_t begin, int64_t end) { kernel.fn(operands, begin, end); }, kernel.range.align);
}

bool launch_chunks(const BoundKernel& kernel, void** operands, size_t count) {
  constexpr int64_t kLineElements = 8;  // arrays start on cache lines of their own
  const auto array = (kernel.num_partials + kLineElements - 1) / kLineElements * kLineElements;
  auto scratch =
      Storage::allocate(kernel.num_reduces * static_cast<size_t>(array) * sizeof(double));
  if (!scratch.ok()) return false;
  InlineVec<void*, 16> all;
  for (size_t i = 0; i < count; ++i) all.push_back(operands[i]);
  auto* next = static_cast<double*>(scratch.value()->data);
  for (size_t r = 0; r < kernel.num_reduces; ++r, next += array) all.push_back(next);
  all.push_back(const_cast<int64_t*>(kernel.sizes));
  launch_parallel(kernel, all.data());
  all[all.size() - 1] = const_cast<int64_t*>(kernel.finish->sizes);
  launch_parallel(*kernel.finish, all.data());
  return true;
}

}  // namespace msjit
