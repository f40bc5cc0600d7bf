// A fused kernel on a device: compiled for it, loaded, and queued for one set of sizes.
#pragma once

#include "codegen/backend.h"
#include "codegen/device_kernel.h"
#include "kernels/device/device_api.h"

namespace msjit {

// The device code for a request; logged and dumped on demand.
Result<std::string> device_code_for(const DeviceTraits& traits, DeviceRequest request);

class DeviceKernel {
 public:
  // RuntimeError with the reason when there is no code generator or the device refuses the code.
  static Result<std::unique_ptr<DeviceKernel>> compile(DeviceApi& api, const KernelSpec& spec);
  ~DeviceKernel();
  DeviceKernel(const DeviceKernel&) = delete;

  const KernelSpec& spec() const { return spec_; }
  // `operands`: addresses on the device. `sizes`: those of an open spec, as open_spec gives them.
  Status launch(std::span<void* const> operands, std::span<const int64_t> sizes,
                DeviceStream stream) const;

 private:
  DeviceKernel(DeviceApi& api, const KernelSpec& spec) : api_(api), spec_(spec) {}

  DeviceApi& api_;
  KernelSpec spec_;
  DeviceModule module_;
  DeviceFunction function_;
};

}  // namespace msjit
