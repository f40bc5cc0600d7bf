// DeviceApi: what an accelerator can do, and all that msjit asks of one. Addresses are the
// device's; the host never follows them. Work is queued on streams and done in order within each
// stream. Between streams, and towards the host, only events and sync give an order. All functions
// may be called from any thread. Errors have the device's own text, as `[cuda] what, got X,
// expected Y`.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/core/dtype.h"
#include "kernels/core/result.h"

namespace msjit {

// Handles; what they hold belongs to the api that returned them. A null stream is the default
// stream.
struct DeviceStream {
  void* handle = nullptr;
  friend bool operator==(const DeviceStream&, const DeviceStream&) = default;
};
struct DeviceEvent {
  void* handle = nullptr;
};
struct DeviceModule {
  void* handle = nullptr;
};
struct DeviceFunction {
  void* handle = nullptr;
};

enum class CopyKind : uint8_t { kToDevice, kToHost, kWithin };
// What load_module takes: PTX for an architecture, or host code that emulates a GPU's kernel.
enum class CodeKind : uint8_t { kPtx, kEmulated };

struct DeviceTraits {
  std::string name;
  CodeKind code = CodeKind::kPtx;
  int arch = 80;  // 80: sm_80
  int64_t processors = 1;
};

// c = a @ b, or c + a @ b: `batch` products of matrices m x k and k x n, stored by rows; the
// matrices of c are adjacent. A transposed operand lies in memory with its axes swapped. `lda` and
// `ldb` are the distances between rows in memory, `stride_a` and `stride_b` between matrices (0:
// one matrix for all), in elements.
struct DeviceProduct {
  DType dtype = DType::kFloat32;
  bool transpose_a = false, transpose_b = false, accumulates = false;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  int64_t lda = 0, ldb = 0, stride_a = 0, stride_b = 0;
  const void *a = nullptr, *b = nullptr;
  void* c = nullptr;
};

// A convolution of images (N, C, H, W) with weights (out, C / groups, kH, kW), or one of its
// gradients. All tensors are contiguous and have one dtype.
struct DeviceConvolution {
  enum Kind : uint8_t { kForward, kInputGrad, kWeightGrad };
  Kind kind = kForward;
  DType dtype = DType::kFloat32;
  bool has_bias = false;
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  int64_t in[2] = {}, out[2] = {}, kernel[2] = {}, stride[2] = {}, dilation[2] = {};
  int64_t pad[2] = {};  // on both sides
  friend auto operator<=>(const DeviceConvolution&, const DeviceConvolution&) = default;
};
// One of the three is written. For a gradient, x, weight or y stand for their gradients.
struct DeviceConvolutionData {
  void *x, *weight, *y;
  const void* bias;  // one element per channel of y
};
// Returns device memory that stays valid until the call has returned. Work of the call's stream
// uses it before any later use.
using DeviceScratch = std::function<Result<void*>(size_t bytes)>;

class DeviceApi {
 public:
  virtual ~DeviceApi() = default;
  virtual const DeviceTraits& traits() const = 0;

  // From the system: slow, and may wait for the device; see DeviceAllocator. MemoryError when no
  // memory is left.
  virtual Result<void*> allocate(size_t bytes) = 0;
  virtual Status free(void* memory) = 0;
  // Host memory that the device reads and writes at the same address. Copies from and to it need no
  // help of the system.
  virtual Result<void*> allocate_host(size_t bytes) = 0;
  virtual Status free_host(void* memory) = 0;

  // Queued. The host memory must not change until the stream has reached the copy.
  virtual Status copy(CopyKind kind, void* to, const void* from, size_t bytes,
                      DeviceStream stream) = 0;

  virtual Result<DeviceStream> create_stream() = 0;
  virtual Status destroy_stream(DeviceStream stream) = 0;
  virtual Status sync(DeviceStream stream) = 0;  // the host waits; reports errors of queued work

  // An event stands for all that was queued on a stream before it was recorded.
  virtual Result<DeviceEvent> record(DeviceStream stream) = 0;
  virtual Status wait(DeviceStream stream, DeviceEvent event) = 0;  // the stream waits
  virtual Status sync(DeviceEvent event) = 0;                       // the host waits
  virtual Result<bool> is_done(DeviceEvent event) = 0;
  virtual Status destroy_event(DeviceEvent event) = 0;

  virtual Result<DeviceModule> load_module(std::string_view code) = 0;
  virtual Result<DeviceFunction> find_function(DeviceModule module, const char* name) = 0;
  virtual Status unload(DeviceModule module) = 0;  // when none of its work is queued any more
  // Queued. `parameters` points at the arguments, 8 bytes each; they are copied.
  virtual Status launch(DeviceFunction function, int64_t blocks, int threads,
                        std::span<void* const> parameters, DeviceStream stream) = 0;
  // Queued. NotImplementedError when the device has no library for it.
  virtual Status product(const DeviceProduct& product, DeviceStream stream) = 0;
  virtual Status convolution(const DeviceConvolution& convolution,
                             const DeviceConvolutionData& data, const DeviceScratch& scratch,
                             DeviceStream stream) = 0;
};

// The GPU of that index, through the CUDA driver. The first call opens the driver; nothing links
// with it. RuntimeError that names the cause: no driver, a driver that is too old, no device.
Result<DeviceApi*> cuda_device(int index);
// The number of GPUs; errors as for cuda_device().
Result<int> cuda_device_count();

// cuda_device() with another driver library. For tests.
Result<std::unique_ptr<DeviceApi>> open_cuda(const char* library, int index);

}  // namespace msjit
