// Tensors on devices: one context a device, opened by the first tensor that goes there. All work of
// a process on a device is queued on one stream, so the order of the program is that of the device.
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
  std::atomic<int64_t> waits{0};  // of the host, for all that is queued
  // Where routines note the first index that was out of range: see routine.h. Memory of the host.
  void* faults = nullptr;
  std::mutex faults_mutex;
  // Of codegen/device_ops.cc: what has been compiled for it.
  std::shared_ptr<void> code;
  std::once_flag code_made;
};

// Whether a device has ever been opened: before that every tensor lies on the host.
extern std::atomic<bool> any_open;
inline bool in_use() { return any_open.load(std::memory_order_relaxed); }

// Opens a device; the context lives as long as the process. RuntimeError that names what is
// missing. With MSJIT_DEVICE_LIBRARY the devices are those of that library: it exports
// `msjit::DeviceApi* msjit_open_device(int index)`, which gives null where there is none.
Result<Context*> context(Device device);
// Puts another context, or none, in the place of a device. For tests.
void replace_context(Device device, Context* context);
// Of a device that is open.
Context& open_context(Device device);

// Memory of a device, which goes back to its allocator with the storage.
Result<Storage> allocate(Device device, size_t bytes);

// The tensor itself, or a copy that waits for all queued work. Contiguous on the other side.
Result<Tensor> to_host(const Tensor& tensor);
Result<Tensor> to_device(const Tensor& tensor, Device device);
// Whether a tensor that lies on the host may serve a device's operator: one number.
inline bool is_scalar(const Meta& meta) { return meta.shape.rank() == 0; }

// Elements of one tensor to the place of another of the same shape and dtype, of which one at least
// is on a device. Use copy_elements.
Status copy(const Tensor& from, const Tensor& to);
// Waits for all that is queued on a device. IndexError where a routine of it has met an index that
// is out of range.
Status synchronize(Device device);

// Runs an operator on the device where its results are to be. `metas`: as its infer rule has given
// them. See codegen/device_ops.h.
using Runner = Status (*)(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                          std::span<const Meta> metas, TensorVec* out);
extern Runner run_op;

// Copies between two layouts of the same shape and dtype on one device: codegen/device_copy.cc.
extern Status (*copy_within)(const Tensor& from, const Tensor& to);

// Whether an operator with these inputs and results has to do with a device.
inline bool concerns(std::span<const Tensor> in, std::span<const Meta> metas) {
  if (!in_use()) [[likely]]
    return false;
  bool host = true;
  for (const Tensor& t : in) host &= !t || t.device().is_host();
  for (const Meta& meta : metas) host &= meta.device.is_host();
  return !host;
}

}  // namespace msjit::devices
