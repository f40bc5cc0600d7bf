#include "kernels/device/cuda_driver.h"

#include <dlfcn.h>

namespace msjit {
namespace {

constexpr int kLeastVersion = 11080;  // takes PTX 7.8, the first that knows sm_90

template <class Function>
bool find(void* handle, const char* name, Function* to) {
  *to = reinterpret_cast<Function>(dlsym(handle, name));
  return *to != nullptr;
}

// The name of the first missing function, or null. A function's version is part of its name; these
// are those of CUDA 4.0 and later.
const char* find_all(void* handle, CudaDriver* d) {
  if (!find(handle, "cuInit", &d->cuInit)) return "cuInit";
  if (!find(handle, "cuDriverGetVersion", &d->cuDriverGetVersion)) return "cuDriverGetVersion";
  if (!find(handle, "cuGetErrorString", &d->cuGetErrorString)) return "cuGetErrorString";
  if (!find(handle, "cuDeviceGetCount", &d->cuDeviceGetCount)) return "cuDeviceGetCount";
  if (!find(handle, "cuDeviceGet", &d->cuDeviceGet)) return "cuDeviceGet";
  if (!find(handle, "cuDeviceGetName", &d->cuDeviceGetName)) return "cuDeviceGetName";
  if (!find(handle, "cuDeviceGetAttribute", &d->cuDeviceGetAttribute))
    return "cuDeviceGetAttribute";
  if (!find(handle, "cuDevicePrimaryCtxRetain", &d->cuDevicePrimaryCtxRetain))
    return "cuDevicePrimaryCtxRetain";
  if (!find(handle, "cuCtxSetCurrent", &d->cuCtxSetCurrent)) return "cuCtxSetCurrent";
  if (!find(handle, "cuMemAlloc_v2", &d->cuMemAlloc)) return "cuMemAlloc_v2";
  if (!find(handle, "cuMemFree_v2", &d->cuMemFree)) return "cuMemFree_v2";
  if (!find(handle, "cuMemHostAlloc", &d->cuMemHostAlloc)) return "cuMemHostAlloc";
  if (!find(handle, "cuMemFreeHost", &d->cuMemFreeHost)) return "cuMemFreeHost";
  if (!find(handle, "cuMemcpyHtoDAsync_v2", &d->cuMemcpyHtoDAsync)) return "cuMemcpyHtoDAsync_v2";
  if (!find(handle, "cuMemcpyDtoHAsync_v2", &d->cuMemcpyDtoHAsync)) return "cuMemcpyDtoHAsync_v2";
  if (!find(handle, "cuMemcpyDtoDAsync_v2", &d->cuMemcpyDtoDAsync)) return "cuMemcpyDtoDAsync_v2";
  if (!find(handle, "cuStreamCreate", &d->cuStreamCreate)) return "cuStreamCreate";
  if (!find(handle, "cuStreamDestroy_v2", &d->cuStreamDestroy)) return "cuStreamDestroy_v2";
  if (!find(handle, "cuStreamSynchronize", &d->cuStreamSynchronize)) return "cuStreamSynchronize";
  if (!find(handle, "cuStreamWaitEvent", &d->cuStreamWaitEvent)) return "cuStreamWaitEvent";
  if (!find(handle, "cuEventCreate", &d->cuEventCreate)) return "cuEventCreate";
  if (!find(handle, "cuEventRecord", &d->cuEventRecord)) return "cuEventRecord";
  if (!find(handle, "cuEventQuery", &d->cuEventQuery)) return "cuEventQuery";
  if (!find(handle, "cuEventSynchronize", &d->cuEventSynchronize)) return "cuEventSynchronize";
  if (!find(handle, "cuEventDestroy_v2", &d->cuEventDestroy)) return "cuEventDestroy_v2";
  if (!find(handle, "cuModuleLoadData", &d->cuModuleLoadData)) return "cuModuleLoadData";
  if (!find(handle, "cuModuleGetFunction", &d->cuModuleGetFunction)) return "cuModuleGetFunction";
  if (!find(handle, "cuModuleUnload", &d->cuModuleUnload)) return "cuModuleUnload";
  if (!find(handle, "cuLaunchKernel", &d->cuLaunchKernel)) return "cuLaunchKernel";
  return nullptr;
}

}  // namespace

Result<CudaDriver> CudaDriver::open(const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return runtime_error("[cuda] driver library, got none ({}), expected {}", dlerror(), library);
  CudaDriver driver{};
  if (const char* missing = find_all(handle, &driver))
    return runtime_error("[cuda] driver, got one without {}, expected one of CUDA 11.8 or later",
                         missing);
  // The version first: asking for it needs no device, and an old driver may not start with a newer
  // kernel.
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
