#include "codegen/device_executable.h"

#include <chrono>

#include "codegen/device_program.h"
#include "kernels/core/log.h"
#include "kernels/core/profile.h"

namespace msjit {
namespace {

class DeviceExecutable final : public Executable {
 public:
  DeviceExecutable(std::unique_ptr<DeviceProgram> program, int num_ops, double ms)
      : program_(std::move(program)), num_ops_(num_ops), ms_(ms) {}

  Status run(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs) override {
    return program_->run(borrow(inputs), outputs);
  }
  // Results that should overwrite inputs are handed out; the caller puts them in place.
  Status begin(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs,
               PendingRun*) override {
    return run(inputs, outputs);
  }
  void release_memory() override {}
  int tier() const override { return 1; }
  void wait_compiled() override {}
  double compile_ms() const override { return ms_; }
  int64_t code_bytes() const override {
    const Plan& plan = program_->plan();
    return static_cast<int64_t>(sizeof *this + plan.slots.size() * sizeof(PlanSlot) +
                                plan.graph->nodes.size() * sizeof(Node));
  }
  int num_ops() const override { return num_ops_; }
  int num_kernels() const override {
    int count = 0;
    for (const PlanStep& step : program_->plan().steps) count += step.kind != PlanStepKind::kView;
    return count;
  }
  std::string describe() const override {
    std::string text;
    for (const PlanStep& step : program_->plan().steps)
      text += describe_step(program_->plan(), step) + "\n";
    return text;
  }
  std::string graph_text() const override { return print(*program_->plan().graph); }

 private:
  std::unique_ptr<DeviceProgram> program_;
  int num_ops_;
  double ms_;
};

}  // namespace

Result<std::shared_ptr<Executable>> compile_for_device(const Graph& graph, bool open_sizes) {
  const auto start = std::chrono::steady_clock::now();
  MSJIT_TRY(devices::Context* const at, devices::context(device_of(graph)));
  MSJIT_TRY(auto program, DeviceProgram::compile(graph, open_sizes, *at));
  MSJIT_LOGF(LogTopic::kPlan, "{}\n{}", graph.name, program->plan().str());
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return std::shared_ptr<Executable>(
      std::make_shared<DeviceExecutable>(std::move(program), graph.num_ops(), ms));
}

}  // namespace msjit
