// Fused steps on a device.
#include <algorithm>
#include <optional>

#include "codegen/chunks.h"
#include "codegen/device_program.h"
#include "codegen/fusion.h"
#include "kernels/device/timing.h"

namespace msjit {
namespace {

constexpr int64_t kLine = 8;  // elements: partial results start on cache lines of their own

bool is_laid_out_as(const DeviceBinding& binding, std::span<const Tensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!(inputs[i].strides() == binding.strides[i])) return false;
  return true;
}

}  // namespace

Result<const DeviceKernel*> DeviceKernels::get(const KernelSpec& spec) {
  std::lock_guard lock(mutex_);
  auto& same_hash = all_[spec.hash()];
  for (const auto& kernel : same_hash)
    if (kernel->spec() == spec) return static_cast<const DeviceKernel*>(kernel.get());
  MSJIT_TRY(auto made, DeviceKernel::compile(api_, spec));
  same_hash.push_back(std::move(made));
  return static_cast<const DeviceKernel*>(same_hash.back().get());
}

Result<const DeviceKernel*> DeviceUnit::kernel_of(DeviceKernels& kernels, KernelSpec spec,
                                                  std::vector<int64_t>* sizes) const {
  if (open_) spec = open_spec(std::move(spec), sizes);
  return kernels.get(spec);
}

Result<const DeviceBinding*> DeviceUnit::bind(DeviceKernels& kernels,
                                              std::span<const Tensor> inputs) {
  std::lock_guard lock(mutex_);
  for (const auto& binding : bindings_)
    if (is_laid_out_as(*binding, inputs)) return static_cast<const DeviceBinding*>(binding.get());
  auto made = std::make_unique<DeviceBinding>();
  for (const Tensor& input : inputs) made->strides.push_back(input.strides());
  const KernelSpec spec = specialize(*program_, shapes_, made->strides);
  if (auto cut = cut_into_chunks(spec, device_limits(spec, kernels.processors()))) {
    made->num_reduces = spec.stages[0].reduces.size();
    made->num_partials = cut->num_partials;
    MSJIT_TRY(made->main, kernel_of(kernels, cut->parts, &made->sizes));
    MSJIT_TRY(made->finish, kernel_of(kernels, cut->finish, &made->finish_sizes));
  } else {
    MSJIT_TRY(made->main, kernel_of(kernels, spec, &made->sizes));
  }
  bindings_.push_back(std::move(made));
  return static_cast<const DeviceBinding*>(bindings_.back().get());
}

// The arrays of partial results, one per reduction, are passed to both kernels after the operands.
Status DeviceUnit::run(devices::Context& at, DeviceKernels& kernels,
                       std::span<const Tensor> operands) {
  const auto num_inputs = static_cast<size_t>(program_->num_inputs);
  MSJIT_TRY(const DeviceBinding* const bound, bind(kernels, operands.first(num_inputs)));
  InlineVec<void*, 16> addresses;
  for (const Tensor& t : operands) addresses.push_back(t.data());
  std::optional<devices::Timed> timed;
  if (devices::times_are_asked()) [[unlikely]]
    timed.emplace(at, [&] {
      std::string name = bound->finish ? "chunked " : "fused ";
      for (const Tensor& t : operands) name += t.shape().str();
      return name + " " + bound->main->spec().str();
    });
  if (!bound->finish)
    return bound->main->launch({addresses.data(), addresses.size()}, bound->sizes, at.stream);
  const int64_t array = (bound->num_partials + kLine - 1) / kLine * kLine * sizeof(double);
  MSJIT_TRY(const Storage scratch,
            devices::allocate(at.device, bound->num_reduces * static_cast<size_t>(array)));
  for (size_t r = 0; r < bound->num_reduces; ++r)
    addresses.push_back(static_cast<char*>(scratch->data) + static_cast<int64_t>(r) * array);
  const std::span<void* const> all(addresses.data(), addresses.size());
  MSJIT_OK(bound->main->launch(all, bound->sizes, at.stream));
  return bound->finish->launch(all, bound->finish_sizes, at.stream);
}

}  // namespace msjit
