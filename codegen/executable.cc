#include "codegen/executable.h"

#include <chrono>

#include "codegen/runner.h"
#include "graph/pipeline.h"
#include "kernels/core/log.h"

namespace msjit {
namespace {

using Units = std::vector<std::shared_ptr<FusedUnit>>;

Units make_units(const Plan& plan) {
  Units units;
  for (const Step& step : plan.steps) {
    if (!step.fused) {
      units.emplace_back();
      continue;
    }
    std::vector<Shape> strides;
    for (int i = 0; i < step.fused->num_inputs; ++i)
      strides.push_back(plan.slots[step.fused->operands[i].slot].strides);
    units.push_back(std::make_shared<FusedUnit>(step.fused, std::move(strides)));
  }
  return units;
}

class GraphExecutable final : public Executable {
 public:
  GraphExecutable(std::shared_ptr<const Plan> plan, Units units, int num_ops, double ms)
      : runner_(plan, units),
        plan_(std::move(plan)),
        units_(std::move(units)),
        num_ops_(num_ops),
        plan_ms_(ms) {}

  Status run(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs) override {
    return runner_.run(inputs, outputs);
  }
  int tier() const override {
    for (const auto& unit : units_)
      if (unit && !unit->primary()) return 0;
    return 1;
  }
  void wait_compiled() override {
    for (const auto& unit : units_)
      if (unit) unit->wait();
  }
  double compile_ms() const override {
    double ms = plan_ms_;
    for (const auto& unit : units_)
      if (unit) ms += unit->compile_ms();
    return ms;
  }
  int64_t code_bytes() const override {
    int64_t bytes = static_cast<int64_t>(sizeof(*this) + plan_->slots.size() * sizeof(Slot) +
                                         plan_->graph->nodes.size() * sizeof(Node));
    for (const auto& unit : units_)
      if (unit) bytes += unit->code_bytes();
    return bytes + plan_->arena_bytes;
  }
  int num_ops() const override { return num_ops_; }
  int num_kernels() const override {
    int count = 0;
    for (const Step& step : plan_->steps) count += step.kind != StepKind::kView;
    return count;
  }
  std::string describe() const override {
    std::string text;
    for (size_t i = 0; i < units_.size(); ++i) {
      text += describe_step(*plan_, plan_->steps[i]);
      if (units_[i]) text += ": " + units_[i]->status();
      text += "\n";
    }
    return text + fmt::format("arena {} bytes, {} outputs, tier {}\n", plan_->arena_bytes,
                              plan_->outputs.size(), tier());
  }
  std::string graph_text() const override { return print(*plan_->graph); }

 private:
  PlanRunner runner_;
  std::shared_ptr<const Plan> plan_;
  Units units_;
  int num_ops_;
  double plan_ms_;
};

}  // namespace

Result<std::shared_ptr<Executable>> Executable::compile(const Graph& graph) {
  auto start = std::chrono::steady_clock::now();
  auto optimised = std::make_shared<Graph>(graph);
  MSJIT_OK(run_pipeline(*optimised));
  MSJIT_TRY(auto plan, make_plan(std::move(optimised), graph));
  MSJIT_LOGF(LogTopic::kPlan, "{}\n{}", graph.name, plan->str());
  if (dump_enabled()) dump_file("plan.txt", plan->str());
  Units units = make_units(*plan);
  double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  for (const auto& unit : units)
    if (unit) unit->compile_primary();
  return std::shared_ptr<Executable>(
      std::make_shared<GraphExecutable>(std::move(plan), std::move(units), graph.num_ops(), ms));
}

}  // namespace msjit
