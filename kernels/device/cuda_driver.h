// The CUDA driver functions that are used, under their own names, found by dlopen. They are
// declared here, so no toolkit is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/result.h"

namespace msjit {

struct CudaDriver {
  using Code = int;  // CUresult; 0 is success
  static constexpr Code kOutOfMemory = 2, kNoDevice = 100, kNotReady = 600;
  static constexpr int kMajor = 75, kMinor = 76, kProcessors = 16;  // attributes

  Code (*cuInit)(unsigned);
  Code (*cuDriverGetVersion)(int*);
  Code (*cuGetErrorString)(Code, const char**);
  Code (*cuDeviceGetCount)(int*);
  Code (*cuDeviceGet)(int*, int);
  Code (*cuDeviceGetName)(char*, int, int);
  Code (*cuDeviceGetAttribute)(int*, int, int);
  Code (*cuDevicePrimaryCtxRetain)(void**, int);
  Code (*cuCtxSetCurrent)(void*);
  Code (*cuMemAlloc)(uint64_t*, size_t);
  Code (*cuMemFree)(uint64_t);
  Code (*cuMemHostAlloc)(void**, size_t, unsigned);
  Code (*cuMemFreeHost)(void*);
  Code (*cuMemcpyHtoDAsync)(uint64_t, const void*, size_t, void*);
  Code (*cuMemcpyDtoHAsync)(void*, uint64_t, size_t, void*);
  Code (*cuMemcpyDtoDAsync)(uint64_t, uint64_t, size_t, void*);
  Code (*cuStreamCreate)(void**, unsigned);
  Code (*cuStreamDestroy)(void*);
  Code (*cuStreamSynchronize)(void*);
  Code (*cuStreamWaitEvent)(void*, void*, unsigned);
  Code (*cuEventCreate)(void**, unsigned);
  Code (*cuEventRecord)(void*, void*);
  Code (*cuEventQuery)(void*);
  Code (*cuEventSynchronize)(void*);
  Code (*cuEventDestroy)(void*);
  Code (*cuModuleLoadData)(void**, const void*);
  Code (*cuModuleGetFunction)(void**, void*, const char*);
  Code (*cuModuleUnload)(void*);
  Code (*cuLaunchKernel)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned, void*, void**, void**);

  // RuntimeError when there is no such library, when it lacks one of these functions, when it does
  // not start, or when it is too old for our PTX. The library stays open.
  static Result<CudaDriver> open(const char* library);
  // Success for 0, otherwise `[cuda] what, got <the driver's text>`; MemoryError when memory ran
  // out.
  Status check(const char* what, Code code) const;
  Result<int> device_count() const;
};

}  // namespace msjit
