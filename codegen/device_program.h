// DeviceProgram: a graph on a device, from tensors of the host to tensors of the host. Its fused
// loops and views run there; what an operator's own kernel would run has none yet and is refused.
// Memory comes from the stream-ordered allocator and goes back when its last reader is queued.
#pragma once

#include <mutex>
#include <unordered_map>

#include "codegen/device_launch.h"
#include "codegen/plan.h"
#include "kernels/device/device_allocator.h"

namespace msjit {

// The kernels of one device, by spec. From any thread.
class DeviceKernels {
 public:
  explicit DeviceKernels(DeviceApi& api) : api_(api) {}
  Result<const DeviceKernel*> get(const KernelSpec& spec);

 private:
  DeviceApi& api_;
  std::mutex mutex_;
  std::unordered_map<size_t, std::vector<std::unique_ptr<DeviceKernel>>> all_;  // by hash
};

class DeviceProgram {
 public:
  // NotImplementedError that names the operator for which there is no kernel. `open_sizes` as for
  // Executable::compile. The rest must outlive it.
  static Result<std::unique_ptr<DeviceProgram>> compile(const Graph& graph, bool open_sizes,
                                                        DeviceApi& api, DeviceAllocator& memory,
                                                        DeviceKernels& kernels);

  // Queues all on `stream` and waits for it. Each output is a tensor of its own. One run at a time.
  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs, DeviceStream stream);

 private:
  DeviceProgram(DeviceApi& api, DeviceAllocator& memory, DeviceKernels& kernels)
      : api_(api), memory_(memory), kernels_(kernels) {}
  Status check_steps() const;
  void find_last_uses();

  Status run_steps(std::span<const Tensor> inputs, std::span<Tensor> outputs);
  Status load(int32_t slot, const Tensor& host);
  Status run_fused(const FusedProgram& program);
  Status run_chunks(const KernelSpec& parts, const KernelSpec& finish, std::vector<void*> operands,
                    size_t reduces, int64_t partials);
  Status launch(KernelSpec spec, std::span<void* const> operands);
  Status run_view(const PlanOp& op);
  Result<Storage> allocate(int64_t bytes);
  Result<Tensor> to_host(const Tensor& from, const Meta& meta);

  DeviceApi& api_;
  DeviceAllocator& memory_;
  DeviceKernels& kernels_;
  std::shared_ptr<const Plan> plan_;
  std::vector<std::vector<int32_t>> dead_after_;  // by step: slots that nothing reads any more
  // Of the current run.
  DeviceStream stream_;
  std::vector<Tensor> slots_, staging_;  // on the device; on the host, until copies are done
};

}  // namespace msjit
