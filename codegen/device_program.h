// DeviceProgram: a graph on a device. Fused loops become kernels of the device, views are made as
// on the host, control nodes run their sub-graphs as programs, and all other operators go to
// device_ops.h one by one. All work is queued on the device's stream, and nothing here waits for
// it.
#pragma once

#include <mutex>
#include <unordered_map>

#include "codegen/device_launch.h"
#include "codegen/plan.h"
#include "kernels/device/device_tensors.h"

namespace msjit {

// The fused kernels of one device, by spec. From any thread.
class DeviceKernels {
 public:
  explicit DeviceKernels(DeviceApi& api) : api_(api) {}
  Result<const DeviceKernel*> get(const KernelSpec& spec);
  int64_t processors() const { return api_.traits().processors; }

 private:
  DeviceApi& api_;
  std::mutex mutex_;
  std::unordered_map<size_t, std::vector<std::unique_ptr<DeviceKernel>>> all_;  // by hash
};

// The kernels of a fused step for operands in one layout: the main one and, when the reduction is
// cut into chunks, the finishing one.
struct DeviceBinding {
  std::vector<Shape> strides;  // of the inputs
  const DeviceKernel *main = nullptr, *finish = nullptr;
  std::vector<int64_t> sizes, finish_sizes;
  size_t num_reduces = 0;
  int64_t num_partials = 0;
};

// A fused step at run time. From any thread.
class DeviceUnit {
 public:
  DeviceUnit(std::shared_ptr<const FusedProgram> program, FusedShapes shapes, bool open)
      : program_(std::move(program)), shapes_(std::move(shapes)), open_(open) {}
  const FusedProgram& program() const { return *program_; }
  // `operands`: the inputs, then the outputs.
  Status run(devices::Context& at, DeviceKernels& kernels, std::span<const Tensor> operands);

 private:
  Result<const DeviceBinding*> bind(DeviceKernels& kernels, std::span<const Tensor> inputs);
  Result<const DeviceKernel*> kernel_of(DeviceKernels& kernels, KernelSpec spec,
                                        std::vector<int64_t>* sizes) const;

  std::shared_ptr<const FusedProgram> program_;
  const FusedShapes shapes_;
  const bool open_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<DeviceBinding>> bindings_;  // only ever added to
};

class DeviceProgram {
 public:
  // `open_sizes` as for Executable::compile. The context must outlive it.
  static Result<std::unique_ptr<DeviceProgram>> compile(const Graph& graph, bool open_sizes,
                                                        devices::Context& at);
  // Outputs are fresh tensors of the device or views of the inputs, as those of Executable::run.
  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const;

  const Plan& plan() const { return *plan_; }
  // Whether each step is a kernel of the device or a view, so that no operator runs on the host.
  bool stays() const;

 private:
  using Slots = std::vector<Tensor>;
  explicit DeviceProgram(devices::Context& at) : at_(at) {}
  static Result<std::unique_ptr<DeviceProgram>> from_plan(std::shared_ptr<const Plan> plan,
                                                          devices::Context& at);
  Status load_constants();
  void find_last_uses();

  Status run_step(size_t index, Slots& slots) const;
  Status run_fused(DeviceUnit& unit, Slots& slots) const;
  Status run_op(const PlanOp& op, Slots& slots) const;
  Status run_controlled(size_t index, Slots& slots) const;
  Status collect(Slots& slots, std::span<Tensor> outputs) const;

  devices::Context& at_;
  std::shared_ptr<const Plan> plan_;
  std::vector<std::unique_ptr<DeviceUnit>> units_;                   // by step
  std::vector<std::vector<std::unique_ptr<DeviceProgram>>> nested_;  // by step, sub-graph
  std::vector<Tensor> constants_;                                    // by slot, on the device
  std::vector<std::vector<int32_t>> dead_after_;  // by step: slots that nothing reads any more
};

}  // namespace msjit
