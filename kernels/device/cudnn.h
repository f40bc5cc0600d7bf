// Convolutions by cuDNN (8 or 9). The first convolution opens the library. The algorithm is chosen
// once per problem. By default it is the first one that cuDNN proposes among those with
// reproducible results, if there is one; MSJIT_CUDNN_ANY=1 considers all algorithms.
// MSJIT_CUDNN_SEARCH=1 picks the fastest by trial. float32 is computed in float32, with
// MSJIT_TF32=1 in TF32.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "kernels/device/device_api.h"

namespace msjit {

struct CudnnFunctions;

class Cudnn {
 public:
  // `library`: of another name, for tests.
  explicit Cudnn(const char* library = nullptr);
  ~Cudnn();
  // NotImplementedError without the library or when it does not support the problem; the host then
  // computes it.
  Status convolve(const DeviceConvolution& c, const DeviceConvolutionData& data,
                  const DeviceScratch& scratch, DeviceStream stream);

 private:
  struct Problem;  // descriptors and the algorithm
  struct Operands;
  Status open();
  Result<Problem*> problem_for(const DeviceConvolution& c, const Operands& operands,
                               const DeviceScratch& scratch);
  Status describe(const DeviceConvolution& c, Problem* p);
  Status choose(const DeviceConvolution& c, const Operands& operands, const DeviceScratch& scratch,
                Problem* p);
  Status check(const char* what, int code) const;

  const char* const library_;
  std::mutex mutex_;
  bool tried_ = false;
  std::unique_ptr<CudnnFunctions> f_;  // null: no library
  void* handle_ = nullptr;             // lives as long as the process
  std::map<std::pair<DeviceConvolution, int>, std::unique_ptr<Problem>> problems_;  // and settings
};

}  // namespace msjit
