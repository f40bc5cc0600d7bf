#include "kernels/device/cuda_driver.h"

#include <dlfcn.h>

#include <vector>

namespace msjit {
namespace {

constexpr int kLeastVersion = 11080;  // takes PTX 7.8, the first that knows sm_90

struct Symbol {
  void** to;
  const char* name;
};

// Versions of functions are part of their names: those of CUDA 4.0 and later.
std::vector<Symbol> symbols_of(CudaDriver* d) {
  const auto at = [](auto* function) { return reinterpret_cast<void**>(function); };
  return {{at(&d->cuInit), "cuInit"},
          {at(&d->cuDriverGetVersion), "cuDriverGetVersion"},
          {at(&d->cuGetErrorString), "cuGetErrorString"},
          {at(&d->cuDeviceGetCount), "cuDeviceGetCount"},
          {at(&d->cuDeviceGet), "cuDeviceGet"},
          {at(&d->cuDeviceGetName), "cuDeviceGetName"},
          {at(&d->cuDeviceGetAttribute), "cuDeviceGetAttribute"},
          {at(&d->cuDevicePrimaryCtxRetain), "cuDevicePrimaryCtxRetain"},
          {at(&d->cuCtxSetCurrent), "cuCtxSetCurrent"},
          {at(&d->cuMemAlloc), "cuMemAlloc_v2"},
          {at(&d->cuMemFree), "cuMemFree_v2"},
          {at(&d->cuMemcpyHtoDAsync), "cuMemcpyHtoDAsync_v2"},
          {at(&d->cuMemcpyDtoHAsync), "cuMemcpyDtoHAsync_v2"},
          {at(&d->cuMemcpyDtoDAsync), "cuMemcpyDtoDAsync_v2"},
          {at(&d->cuStreamCreate), "cuStreamCreate"},
          {at(&d->cuStreamDestroy), "cuStreamDestroy_v2"},
          {at(&d->cuStreamSynchronize), "cuStreamSynchronize"},
          {at(&d->cuStreamWaitEvent), "cuStreamWaitEvent"},
          {at(&d->cuEventCreate), "cuEventCreate"},
          {at(&d->cuEventRecord), "cuEventRecord"},
          {at(&d->cuEventQuery), "cuEventQuery"},
          {at(&d->cuEventSynchronize), "cuEventSynchronize"},
          {at(&d->cuEventDestroy), "cuEventDestroy_v2"},
          {at(&d->cuModuleLoadData), "cuModuleLoadData"},
          {at(&d->cuModuleGetFunction), "cuModuleGetFunction"},
          {at(&d->cuModuleUnload), "cuModuleUnload"},
          {at(&d->cuLaunchKernel), "cuLaunchKernel"}};
}

}  // namespace

Result<CudaDriver> CudaDriver::open(const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return runtime_error("[cuda] driver library, got none ({}), expected {}", dlerror(), library);
  CudaDriver driver;
  for (const Symbol& symbol : symbols_of(&driver))
    if (!(*symbol.to = dlsym(handle, symbol.name)))
      return runtime_error("[cuda] driver, got one without {}, expected one of CUDA 11.8 or later",
                           symbol.name);
  // The version first: it needs no device, and an old driver may not start beside a new kernel.
  int version = 0;
  MSJIT_OK(driver.check("driver version", driver.cuDriverGetVersion(&version)));
  if (version < kLeastVersion)
    return runtime_error("[cuda] driver, got one of CUDA {}.{}, expected 11.8 or later",
                         version / 1000, version % 1000 / 10);
  const Code code = driver.cuInit(0);
  if (code == kNoDevice) return runtime_error("[cuda] devices, got none, expected a GPU");
  MSJIT_OK(driver.check("start of the driver", code));
  return driver;
}

Status CudaDriver::check(const char* what, Code code) const {
  if (code == 0) return {};
  const char* words = nullptr;
  if (cuGetErrorString(code, &words) != 0 || !words) words = "an unknown error";
  if (code == kOutOfMemory)
    return memory_error("[cuda] {}, got {} ({}), expected success", what, words, code);
  return runtime_error("[cuda] {}, got {} ({}), expected success", what, words, code);
}

Result<int> CudaDriver::device_count() const {
  int count = 0;
  const Code code = cuDeviceGetCount(&count);
  if (code == kNoDevice || (code == 0 && count == 0))
    return runtime_error("[cuda] devices, got none, expected a GPU");
  MSJIT_OK(check("number of devices", code));
  return count;
}

}  // namespace msjit
