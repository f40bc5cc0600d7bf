// Copies between any two layouts on a device, as a fused kernel of one load and one store.
#include <optional>

#include "codegen/device_ops.h"
#include "kernels/device/routine.h"
#include "kernels/device/timing.h"

namespace msjit {
namespace {

// A loop nest without dims of size 1, in which dims that are contiguous on both sides are merged.
struct Nest {
  Shape dims, from, to;

  bool add(Dim extent, int64_t from_stride, int64_t to_stride) {
    if (extent == 1) return true;
    const int last = dims.rank() - 1;
    if (last >= 0 && from[last] == from_stride * extent && to[last] == to_stride * extent) {
      dims[last] *= extent;
      from[last] = from_stride;
      to[last] = to_stride;
      return true;
    }
    if (dims.rank() == kMaxRank) return false;
    dims.push_back(extent);
    from.push_back(from_stride);
    to.push_back(to_stride);
    return true;
  }
};

Status copy_on_device(const Tensor& from, const Tensor& to) {
  const int64_t size = item_size(from.dtype());
  const DType dtype = devices::carrier_of(from.dtype());
  const int64_t parts = size / item_size(dtype);  // 2 for complex128
  Nest nest;
  bool fits = true;
  for (int d = 0; d < from.rank(); ++d)
    fits &= nest.add(from.dim(d), from.strides()[d] * parts, to.strides()[d] * parts);
  fits &= nest.add(parts, 1, 1);
  if (!fits)
    return not_implemented_error("[copy] dimensions of a complex128 tensor on a device, got {}",
                                 from.rank());
  KernelSpec spec;
  spec.dims = nest.dims;
  spec.operands = {{dtype, false, nest.from}, {dtype, true, nest.to}};
  ScalarNode load{};
  load.op = ScalarOp::kInput;
  load.dtype = dtype;
  load.a = 0;
  spec.stages[0].body = {load};
  spec.stages[0].stores = {{0, 1}};
  std::vector<int64_t> sizes;
  spec = open_spec(std::move(spec), &sizes);
  MSJIT_TRY(devices::Context* const at, devices::context(to.device()));
  MSJIT_TRY(const DeviceKernel* const kernel, device_code(*at).kernels.get(spec));
  void* const operands[] = {from.data(), to.data()};
  std::optional<devices::Timed> timed;
  if (devices::times_are_asked()) [[unlikely]]
    timed.emplace(*at, [&] { return "copy " + spec.str(); });
  return kernel->launch(operands, sizes, at->stream);
}

[[maybe_unused]] const bool g_installed = (devices::copy_within = copy_on_device, true);

}  // namespace
}  // namespace msjit
