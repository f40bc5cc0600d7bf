#include "codegen/executable.h"

#include <chrono>

#include "codegen/device_executable.h"
#include "codegen/device_program.h"
#include "codegen/fusion.h"
#include "codegen/runner.h"
#include "graph/control.h"
#include "graph/pipeline.h"
#include "kernels/core/log.h"

namespace msjit {
namespace {

void describe_steps(const PlanRunner& runner, const std::string& indent, std::string* text) {
  const Plan& plan = runner.plan();
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    *text += indent + describe_step(plan, plan.steps[i]);
    if (const auto& unit = runner.units()[i]) *text += ": " + unit->status();
    *text += "\n";
    for (size_t k = 0; k < plan.steps[i]->nested.size(); ++k) {
      *text += indent + "  " + subgraph_name(*plan.steps[i]->ops[0].node->op, k) + "\n";
      describe_steps(runner.nested(i, k), indent + "    ", text);
    }
  }
}

class GraphExecutable final : public Executable {
 public:
  GraphExecutable(std::shared_ptr<const Plan> plan, int num_ops, const PlanRunner* like)
      : runner_(plan, like), plan_(std::move(plan)), num_ops_(num_ops) {}

  void compile_units(double plan_ms) {
    plan_ms_ = plan_ms;
    runner_.for_each_unit([](FusedUnit& unit) { unit.compile_primary(); });
  }

  Status run(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs) override {
    return runner_.run(inputs, outputs);
  }
  Status begin(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs,
               PendingRun* pending) override {
    return runner_.begin(inputs, outputs, pending);
  }
  void release_memory() override { runner_.release_memory(); }
  int tier() const override {
    int tier = 1;
    runner_.for_each_unit([&](FusedUnit& unit) { tier = unit.primary() ? tier : 0; });
    return tier;
  }
  void wait_compiled() override {
    runner_.for_each_unit([](FusedUnit& unit) { unit.wait(); });
  }
  double compile_ms() const override {
    double ms = plan_ms_;
    runner_.for_each_unit([&](FusedUnit& unit) { ms += unit.compile_ms(); });
    return ms;
  }
  int64_t code_bytes() const override {
    return static_cast<int64_t>(sizeof(*this)) + runner_.bytes();
  }
  int num_ops() const override { return num_ops_; }
  int num_kernels() const override {
    int count = 0;
    for (const PlanStep& step : plan_->steps) count += step.kind != PlanStepKind::kView;
    return count;
  }
  std::string describe() const override {
    std::string text;
    describe_steps(runner_, "", &text);
    return text + fmt::format("arena {} bytes, {} outputs, tier {}\n", plan_->arena_bytes,
                              plan_->outputs.size(), tier());
  }
  std::string graph_text() const override { return plan_->graph ? print(*plan_->graph) : ""; }
  const PlanRunner* runner() const override { return &runner_; }

 private:
  PlanRunner runner_;
  std::shared_ptr<const Plan> plan_;
  int num_ops_;
  double plan_ms_ = 0;
};

}  // namespace

Result<std::shared_ptr<Executable>> Executable::compile(const Graph& graph, bool open_sizes,
                                                        const Executable* like) {
  if (!device_of(graph).is_host()) return compile_for_device(graph, open_sizes);
  auto start = std::chrono::steady_clock::now();
  auto optimised = std::make_shared<Graph>(graph);
  MSJIT_OK(run_pipeline(*optimised, has_fused_kernels()));
  const PlanRunner* const known = like ? like->runner() : nullptr;
  MSJIT_TRY(auto plan, make_plan(std::move(optimised), graph, false, open_sizes,
                                 known ? &known->plan() : nullptr));
  MSJIT_LOGF(LogTopic::kPlan, "{}\n{}", graph.name, plan->str());
  if (dump_enabled()) dump_file("plan.txt", plan->str());
  auto executable = std::make_shared<GraphExecutable>(std::move(plan), graph.num_ops(), known);
  executable->compile_units(
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  return std::shared_ptr<Executable>(std::move(executable));
}

}  // namespace msjit
