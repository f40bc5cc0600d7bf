// Matrix products by cuBLAS. The first product opens the library.
#pragma once

#include <mutex>

#include "kernels/device/device_api.h"

namespace msjit {

class Cublas {
 public:
  // NotImplementedError without the library; the host then computes the product.
  Status run(const DeviceProduct& product, DeviceStream stream);

 private:
  Status open();

  std::mutex mutex_;
  bool tried_ = false;
  int (*set_stream_)(void*, void*) = nullptr;
  int (*gemm_)(void*, int, int, int, int, int, const void*, const void*, int, int, long long,
               const void*, int, int, long long, const void*, void*, int, int, long long, int, int,
               int) = nullptr;
  void* handle_ = nullptr;  // lives as long as the process
};

}  // namespace msjit
