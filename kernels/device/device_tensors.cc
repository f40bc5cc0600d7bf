#include "kernels/device/device_tensors.h"

#include <dlfcn.h>

#include <array>
#include <bit>
#include <mutex>

#include "kernels/core/log.h"
#include "kernels/core/registry.h"
#include "kernels/device/routine.h"

namespace msjit {

namespace {
std::atomic<uint16_t> g_default{0};
static_assert(sizeof(Device) == sizeof(uint16_t));
}  // namespace

Device default_device() { return std::bit_cast<Device>(g_default.load(std::memory_order_relaxed)); }
void set_default_device(Device device) { g_default.store(std::bit_cast<uint16_t>(device)); }

}  // namespace msjit

namespace msjit::devices {

Runner run_op = nullptr;
std::atomic<bool> any_open{false};
Status (*copy_within)(const Tensor& from, const Tensor& to) = nullptr;

namespace {

constexpr size_t kMostDevices = 64;

std::array<std::atomic<Context*>, kMostDevices> g_contexts;

// A block of the allocator, owned by a storage.
struct Held {
  DeviceAllocator* memory;
  void* block;
};

void release(void* context) {
  const std::unique_ptr<Held> held(static_cast<Held*>(context));
  const Status status = held->memory->free(held->block);
  (void)status;  // a destructor has nobody to tell
}

size_t bytes_of(const Tensor& t) { return static_cast<size_t>(t.nbytes()); }

// Reads the fields in the order in which note_fault writes them.
Status take_fault(Context& at) {
  std::lock_guard lock(at.faults_mutex);
  auto* const fields = static_cast<int64_t*>(at.faults);
  if (!fields || fields[0] == 0) return {};
  const auto* const name = reinterpret_cast<const char*>(fields[0]);
  const int64_t index = fields[2], axis = fields[3], size = fields[4];
  const auto kind = static_cast<IndexFault>(fields[1]);
  fields[0] = 0;
  switch (kind) {
    case IndexFault::kPlane:
      return index_error("[{}] index {} is out of bounds for a plane of {} elements", name, index,
                         size);
    case IndexFault::kClass:
      return index_error("[{}] target is out of range, got {}, expected 0 to {}", name, index,
                         size - 1);
    case IndexFault::kAxis: break;
  }
  return index_error("[{}] index {} is out of bounds for axis {} with size {}", name, index, axis,
                     size);
}

Status wait(Context& at) {
  at.waits.fetch_add(1, std::memory_order_relaxed);
  MSJIT_OK(at.api.sync(at.stream));
  return take_fault(at);
}

// Copies between two tensors with dense elements in equal order; one of them is on a device.
Status copy_bytes(const Tensor& from, const Tensor& to) {
  const bool brings = to.device().is_host(), takes = from.device().is_host();
  Context& at = open_context(takes ? to.device() : from.device());
  const CopyKind kind = brings  ? CopyKind::kToHost
                        : takes ? CopyKind::kToDevice
                                : CopyKind::kWithin;
  MSJIT_OK(at.api.copy(kind, to.data(), from.data(), bytes_of(from), at.stream));
  // The host may change or free its memory as soon as this returns.
  if (kind == CopyKind::kWithin) return {};
  if (brings) return wait(at);
  at.waits.fetch_add(1, std::memory_order_relaxed);
  return at.api.sync(at.stream);
}

Result<DeviceApi*> open_api(int index) {
  const std::string library = env_text("MSJIT_DEVICE_LIBRARY");
  if (library.empty()) return cuda_device(index);
  void* const handle = dlopen(library.c_str(), RTLD_NOW);
  if (!handle) return runtime_error("[device] library {}, got {}", library, dlerror());
  const auto open = reinterpret_cast<DeviceApi* (*)(int)>(dlsym(handle, "msjit_open_device"));
  if (!open)
    return runtime_error("[device] library {}, got one without msjit_open_device", library);
  DeviceApi* const api = open(index);
  if (!api) return runtime_error("[device] number {} of {}, got none", index, library);
  return api;
}

}  // namespace

Result<Context*> context(Device device) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (device.index >= kMostDevices)
    return runtime_error("[device] number, got {}, expected less than {}", device.index,
                         kMostDevices);
  auto& slot = g_contexts[device.index];
  if (Context* const open = slot.load(std::memory_order_acquire)) return open;
  MSJIT_TRY(DeviceApi* const api, open_api(device.index));
  MSJIT_TRY(const DeviceStream stream, api->create_stream());
  auto made = std::make_unique<Context>(*api, device, stream);
  any_open.store(true);
  slot.store(made.get(), std::memory_order_release);
  return made.release();
}

void replace_context(Device device, Context* context) {
  any_open.store(true);
  g_contexts[device.index].store(context, std::memory_order_release);
}

Context& open_context(Device device) {
  return *g_contexts[device.index].load(std::memory_order_acquire);
}

Result<Storage> allocate(Device device, size_t bytes) {
  MSJIT_TRY(Context* const at, context(device));
  MSJIT_TRY(void* const block, at->memory.allocate(bytes, at->stream));
  Storage storage = Storage::foreign(block, bytes, release, new Held{&at->memory, block});
  storage->device = device;
  return storage;
}

Result<Tensor> to_host(const Tensor& tensor) {
  if (tensor.device().is_host()) return tensor;
  MSJIT_TRY(const Tensor whole, tensor.to_contiguous());
  MSJIT_TRY(Tensor here, Tensor::empty(tensor.dtype(), tensor.shape()));
  here.impl()->meta.weak = tensor.meta().weak;
  if (whole.numel()) MSJIT_OK(copy_bytes(whole, here));
  return here;
}

Result<Tensor> to_device(const Tensor& tensor, Device device) {
  if (tensor.device() == device) return tensor;
  if (!tensor.device().is_host()) {
    MSJIT_TRY(const Tensor here, to_host(tensor));
    return to_device(here, device);
  }
  if (device.is_host()) return to_host(tensor);
  MSJIT_TRY(const Tensor whole, tensor.to_contiguous());
  Meta meta = tensor.meta();
  meta.device = device;
  MSJIT_TRY(Tensor there, Tensor::empty(meta));
  if (whole.numel()) MSJIT_OK(copy_bytes(whole, there));
  return there;
}

Status copy(const Tensor& from, const Tensor& to) {
  if (from.contiguous() && to.contiguous()) return copy_bytes(from, to);
  if (from.device() == to.device()) return copy_within(from, to);
  if (to.device().is_host()) {
    MSJIT_TRY(const Tensor here, to_host(from));
    copy_strided(here, to);
    return {};
  }
  MSJIT_TRY(const Tensor there, to_device(from, to.device()));
  return copy(there, to);
}

Status synchronize(Device device) {
  if (device.is_host()) return {};
  MSJIT_TRY(Context* const at, context(device));
  return wait(*at);
}

}  // namespace msjit::devices
