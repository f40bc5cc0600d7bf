// Tensors on devices. Each device has one context, opened by the first tensor that goes there. A
// process queues all its work for a device on one stream, so the device keeps the program's order.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/device/device_allocator.h"
#include "kernels/eager/eager_sink.h"

namespace msjit::devices {

inline constexpr int kFaultFields = 5;

struct Context {
  Context(DeviceApi& api, Device device, DeviceStream stream)
      : api(api), device(device), memory(api), stream(stream) {}
  ~Context() {
    if (faults) static_cast<void>(api.free_host(faults));
  }
  DeviceApi& api;
  const Device device;
  DeviceAllocator memory;
  const DeviceStream stream;
  std::atomic<int64_t> waits{0};  // how often the host has waited for all queued work
  // Where routines note the first index that was out of range (routine.h). Host memory.
  void* faults = nullptr;
  std::mutex faults_mutex;
  // Belongs to codegen/device_ops.cc: the code compiled for this device.
  std::shared_ptr<void> code;
  std::once_flag code_made;
};

// Whether any device has been opened; before that every tensor is on the host.
extern std::atomic<bool> any_open;
inline bool in_use() { return any_open.load(std::memory_order_relaxed); }

// Opens a device; the context lives as long as the process. RuntimeError that names what is
// missing. MSJIT_DEVICE_LIBRARY names a library that provides the devices instead: it exports
// `msjit::DeviceApi* msjit_open_device(int index)`, which returns null when there is no such
// device.
Result<Context*> context(Device device);
// Replaces the context of a device by another one, or by none. For tests.
void replace_context(Device device, Context* context);
// The context of a device that is open.
Context& open_context(Device device);

// Memory of a device; it returns to its allocator with the storage.
Result<Storage> allocate(Device device, size_t bytes);

// The tensor itself, or a copy on the other side, which is contiguous and waits for all queued
// work.
Result<Tensor> to_host(const Tensor& tensor);
Result<Tensor> to_device(const Tensor& tensor, Device device);
// Whether a host tensor may be an operand of an operator on a device: one number.
inline bool is_scalar(const Meta& meta) { return meta.shape.rank() == 0; }

// Copies the elements of one tensor to another of equal shape and dtype; at least one is on a
// device. Use copy_elements.
Status copy(const Tensor& from, const Tensor& to);
// Waits for all work queued on a device. IndexError when a routine has met an index out of range.
Status synchronize(Device device);

// Runs an operator on the device of its results. `metas` come from its infer rule. See
// codegen/device_ops.h.
using Runner = Status (*)(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                          std::span<const Meta> metas, TensorVec* out);
extern Runner run_op;

// Copies between two layouts of equal shape and dtype on one device: codegen/device_copy.cc.
extern Status (*copy_within)(const Tensor& from, const Tensor& to);

// Whether an operator with these inputs and results concerns a device.
inline bool concerns(std::span<const Tensor> in, std::span<const Meta> metas) {
  if (!in_use()) [[likely]]
    return false;
  bool host = true;
  for (const Tensor& t : in) host &= !t || t.device().is_host();
  for (const Meta& meta : metas) host &= meta.device.is_host();
  return !host;
}

}  // namespace msjit::devices
