// PlanRunner: executes the steps of a plan. It can run a fused step in two ways: by its compiled
// kernel, or op by op on the kernels of its ops. It does the latter until the compiled kernel is
// there, and for layouts without one.
#pragma once

#include <functional>

#include "codegen/fused_unit.h"
#include "codegen/pending_run.h"
#include "codegen/workspace.h"
#include "kernels/core/profile.h"

namespace msjit {

class PlanRunner {
 public:
  // `like`: the runner of another plan, perhaps one that shares steps with this one.
  explicit PlanRunner(std::shared_ptr<const Plan> plan, const PlanRunner* like = nullptr);

  Status run(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs) {
    if (single_.unit && !profile::on()) [[likely]] {
      if (const BoundKernel* kernel = single_.unit->primary()) [[likely]] {
        Status status;
        if (run_single(*kernel, inputs, outputs, &status)) [[likely]]
          return status;
      }
    }
    return run_steps(inputs, outputs, nullptr);
  }
  // As Executable::begin.
  Status begin(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs,
               PendingRun* pending) {
    return plan_->commit < plan_->steps.size() || plan_->writes_early
               ? run_steps(inputs, outputs, pending)
               : run(inputs, outputs);
  }
  ~PlanRunner();
  const Plan& plan() const { return *plan_; }
  const PlanRunner& nested(size_t step, size_t sub) const { return *controls_[step].runners[sub]; }
  // By step; null where not fused.
  const std::vector<std::shared_ptr<FusedUnit>>& units() const { return units_; }
  // Of the steps and of all sub-graphs.
  void for_each_unit(const std::function<void(FusedUnit&)>& f) const;
  // Of the plan, its units and their machine code. What others use too counts in parts.
  int64_t bytes() const;
  void release_memory();

 private:
  friend class PendingRun;
  static constexpr int kMaxPointers = 128;
  // A plan of one fused step whose results are the outputs needs neither a workspace nor a slot
  // table.
  struct Single {
    const FusedUnit* unit = nullptr;
    struct Input {
      int32_t index;  // of the graph's inputs; -1: a constant
      bool contiguous;
      TensorImpl* constant;
    };
    std::vector<Input> inputs;
    struct Output {
      int32_t index;
      Meta meta;
    };
    std::vector<Output> outputs;
  };

  // An If or While: the runners of its sub-graphs.
  struct Control {
    std::vector<std::shared_ptr<PlanRunner>> runners;
  };

  void make_units(const PlanRunner* like);
  std::shared_ptr<FusedUnit> make_unit(size_t step, const PlanRunner* like) const;
  void find_single();
  bool run_single(const BoundKernel& kernel, std::span<TensorImpl* const> inputs,
                  std::span<Tensor> outputs, Status* status) const;
  Status run_steps(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs,
                   PendingRun* pending);
  // `writing`: steps that may write over inputs do so.
  Status run_range(size_t begin, size_t end, TensorImpl** slots,
                   PendingRun* writing = nullptr) const;
  Status run_step(size_t index, TensorImpl** slots) const;
  static bool reuse_input(const PlanStep& step, TensorImpl** slots);
  Status run_profiled(size_t index, TensorImpl** slots) const;
  bool run_fused(FusedUnit& unit, TensorImpl** slots) const;
  // Whether the inputs of a fused step are laid out as its kernel expects.
  bool is_as_planned(const FusedUnit& unit, TensorImpl* const* slots) const;
  bool can_write_over(size_t index, TensorImpl* const* slots) const;
  Status write_over(size_t index, TensorImpl** slots) const;
  bool can_commit(TensorImpl* const* slots) const;
  void hold_reads(TensorImpl* const* slots, PendingRun* pending) const;
  Status commit(TensorImpl** slots) const;
  void end_run(Workspace* workspace);
  Status run_controlled(const PlanStep& step, const Control& control, TensorImpl** slots) const;
  Status cast_weight(const PlanOp& op, TensorImpl** slots) const;
  Status run_one_by_one(const PlanStep& step, TensorImpl** slots) const;
  Status run_op(const PlanOp& op, TensorImpl** slots) const;
  // `waits`: the commit may still read what is handed out, so the slots keep it.
  Status collect(TensorImpl** slots, std::span<Tensor> outputs, bool waits) const;
  void release_owned(TensorImpl** slots) const;

  std::shared_ptr<const Plan> plan_;
  std::vector<std::shared_ptr<FusedUnit>> units_;
  std::vector<Control> controls_;  // by step; empty where there is no kControl step
  std::vector<int32_t> owned_;     // kFresh, kView and kTemp slots
  WorkspacePool pool_;
  Single single_;
};

}  // namespace msjit
