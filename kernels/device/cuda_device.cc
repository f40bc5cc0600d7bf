// A GPU through the CUDA driver.
#include <algorithm>
#include <mutex>
#include <vector>

#include "kernels/device/cublas.h"
#include "kernels/device/cuda_driver.h"
#include "kernels/device/cudnn.h"
#include "kernels/device/device_api.h"

namespace msjit {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";
constexpr unsigned kNonBlocking = 1, kDisableTiming = 2;  // of streams, of events
constexpr unsigned kPortable = 1, kMapped = 2;            // of the host's memory
constexpr int kLeastArch = 80;

uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

class CudaDevice final : public DeviceApi {
 public:
  explicit CudaDevice(const CudaDriver& driver) : d_(driver) {}

  Status open(int index) {
    MSJIT_TRY(const int count, d_.device_count());
    if (index < 0 || index >= count)
      return runtime_error("[cuda] device, got {}, expected one of {}", index, count);
    int device = 0, major = 0, minor = 0, processors = 0;
    char name[256] = "";
    MSJIT_OK(d_.check("device", d_.cuDeviceGet(&device, index)));
    MSJIT_OK(d_.check("name of a device", d_.cuDeviceGetName(name, sizeof name - 1, device)));
    MSJIT_OK(attribute(&major, CudaDriver::kMajor, device));
    MSJIT_OK(attribute(&minor, CudaDriver::kMinor, device));
    MSJIT_OK(attribute(&processors, CudaDriver::kProcessors, device));
    const int arch = 10 * major + minor;
    if (arch < kLeastArch)
      return runtime_error("[cuda] device, got {} (sm_{}), expected sm_{} or later", name, arch,
                           kLeastArch);
    // PTX for one architecture also runs on all later ones.
    traits_ = {name, CodeKind::kPtx, arch >= 90 ? 90 : 80, processors};
    return d_.check("context", d_.cuDevicePrimaryCtxRetain(&context_, device));
  }

  const DeviceTraits& traits() const override { return traits_; }

  Result<void*> allocate(size_t bytes) override {
    MSJIT_OK(enter());
    uint64_t memory = 0;
    MSJIT_OK(d_.check("memory", d_.cuMemAlloc(&memory, bytes)));
    return reinterpret_cast<void*>(memory);
  }
  Status free(void* memory) override {
    MSJIT_OK(enter());
    return d_.check("freed memory", d_.cuMemFree(address(memory)));
  }
  // On 64-bit systems both sides use one address.
  Result<void*> allocate_host(size_t bytes) override {
    MSJIT_OK(enter());
    void* memory = nullptr;
    MSJIT_OK(
        d_.check("memory of the host", d_.cuMemHostAlloc(&memory, bytes, kPortable | kMapped)));
    return memory;
  }
  Status free_host(void* memory) override {
    MSJIT_OK(enter());
    return d_.check("freed memory of the host", d_.cuMemFreeHost(memory));
  }

  Status copy(CopyKind kind, void* to, const void* from, size_t bytes,
              DeviceStream stream) override {
    MSJIT_OK(enter());
    switch (kind) {
      case CopyKind::kToDevice:
        return d_.check("copy to the device",
                        d_.cuMemcpyHtoDAsync(address(to), from, bytes, stream.handle));
      case CopyKind::kToHost:
        return d_.check("copy to the host",
                        d_.cuMemcpyDtoHAsync(to, address(from), bytes, stream.handle));
      case CopyKind::kWithin: break;
    }
    return d_.check("copy within the device",
                    d_.cuMemcpyDtoDAsync(address(to), address(from), bytes, stream.handle));
  }

  Result<DeviceStream> create_stream() override {
    MSJIT_OK(enter());
    DeviceStream stream;
    MSJIT_OK(d_.check("stream", d_.cuStreamCreate(&stream.handle, kNonBlocking)));
    return stream;
  }
  Status destroy_stream(DeviceStream stream) override {
    MSJIT_OK(enter());
    return d_.check("end of a stream", d_.cuStreamDestroy(stream.handle));
  }
  Status sync(DeviceStream stream) override {
    MSJIT_OK(enter());
    return d_.check("work of a stream", d_.cuStreamSynchronize(stream.handle));
  }

  Result<DeviceEvent> record(DeviceStream stream) override {
    MSJIT_OK(enter());
    DeviceEvent event;
    MSJIT_OK(d_.check("event", d_.cuEventCreate(&event.handle, kDisableTiming)));
    Status recorded = d_.check("record of an event", d_.cuEventRecord(event.handle, stream.handle));
    if (recorded.ok()) return event;
    d_.cuEventDestroy(event.handle);
    return recorded.take_error();
  }
  Status wait(DeviceStream stream, DeviceEvent event) override {
    MSJIT_OK(enter());
    return d_.check("wait of a stream", d_.cuStreamWaitEvent(stream.handle, event.handle, 0));
  }
  Status sync(DeviceEvent event) override {
    MSJIT_OK(enter());
    return d_.check("work before an event", d_.cuEventSynchronize(event.handle));
  }
  Result<bool> is_done(DeviceEvent event) override {
    MSJIT_OK(enter());
    const CudaDriver::Code code = d_.cuEventQuery(event.handle);
    if (code == CudaDriver::kNotReady) return false;
    MSJIT_OK(d_.check("work before an event", code));
    return true;
  }
  Status destroy_event(DeviceEvent event) override {
    MSJIT_OK(enter());
    return d_.check("end of an event", d_.cuEventDestroy(event.handle));
  }

  Result<DeviceModule> load_module(std::string_view code) override {
    MSJIT_OK(enter());
    const std::string text(code);  // ends in a zero
    DeviceModule module;
    MSJIT_OK(d_.check("PTX", d_.cuModuleLoadData(&module.handle, text.c_str())));
    return module;
  }
  Result<DeviceFunction> find_function(DeviceModule module, const char* name) override {
    MSJIT_OK(enter());
    DeviceFunction function;
    MSJIT_OK(d_.check("kernel", d_.cuModuleGetFunction(&function.handle, module.handle, name)));
    return function;
  }
  Status unload(DeviceModule module) override {
    MSJIT_OK(enter());
    return d_.check("end of a module", d_.cuModuleUnload(module.handle));
  }
  Status launch(DeviceFunction function, int64_t blocks, int threads,
                std::span<void* const> parameters, DeviceStream stream) override {
    MSJIT_OK(enter());
    return d_.check("launch",
                    d_.cuLaunchKernel(function.handle, static_cast<unsigned>(blocks), 1, 1,
                                      static_cast<unsigned>(threads), 1, 1, 0, stream.handle,
                                      const_cast<void**>(parameters.data()), nullptr));
  }

  Status product(const DeviceProduct& product, DeviceStream stream) override {
    MSJIT_OK(enter());
    return cublas_.run(product, stream);
  }
  Status convolution(const DeviceConvolution& convolution, const DeviceConvolutionData& data,
                     const DeviceScratch& scratch, DeviceStream stream) override {
    MSJIT_OK(enter());
    return cudnn_.convolve(convolution, data, scratch, stream);
  }

 private:
  // The driver acts on the calling thread's context, which other libraries change too.
  Status enter() { return d_.check("context", d_.cuCtxSetCurrent(context_)); }
  Status attribute(int* value, int which, int device) {
    return d_.check("attribute of a device", d_.cuDeviceGetAttribute(value, which, device));
  }

  CudaDriver d_;
  DeviceTraits traits_;
  Cublas cublas_;
  Cudnn cudnn_;
  void* context_ = nullptr;  // the primary one, which is not released: other libraries use it too
};

// A failure is final: no driver will appear later.
const Result<CudaDriver>& the_driver() {
  static const auto* driver = new Result<CudaDriver>(CudaDriver::open(kLibrary));
  return *driver;
}

ErrorPtr again(const Error& error) { return make_error(error.kind, "{}", error.message); }

}  // namespace

Result<std::unique_ptr<DeviceApi>> open_cuda(const char* library, int index) {
  MSJIT_TRY(const CudaDriver driver, CudaDriver::open(library));
  auto device = std::make_unique<CudaDevice>(driver);
  MSJIT_OK(device->open(index));
  return std::unique_ptr<DeviceApi>(std::move(device));
}

Result<int> cuda_device_count() {
  if (!the_driver().ok()) return again(the_driver().error());
  return the_driver().value().device_count();
}

Result<DeviceApi*> cuda_device(int index) {
  static std::mutex mutex;
  static auto* devices = new std::vector<std::unique_ptr<DeviceApi>>;
  if (!the_driver().ok()) return again(the_driver().error());
  std::lock_guard lock(mutex);
  const auto at = static_cast<size_t>(std::max(index, 0));
  if (at < devices->size() && (*devices)[at]) return (*devices)[at].get();
  auto device = std::make_unique<CudaDevice>(the_driver().value());
  MSJIT_OK(device->open(index));
  if (at >= devices->size()) devices->resize(at + 1);
  (*devices)[at] = std::move(device);
  return (*devices)[at].get();
}

}  // namespace msjit
