// The steps of a plan that write results over inputs in place, and the runs that wait for them.
#include "codegen/pending_run.h"

#include <algorithm>
#include <optional>

#include "codegen/runner.h"

namespace msjit {

// Whether a writing step can run now: by a compiled kernel for these layouts, or op by op.
bool PlanRunner::can_write_over(size_t index, TensorImpl* const* slots) const {
  const PlanStep& step = plan_->steps[index];
  return is_as_planned(*units_[index], slots) && (units_[index]->primary() || step.in_order) &&
         std::ranges::all_of(
             step.fresh, [&](int32_t slot) { return slots[plan_->target_of[slot]]->contiguous; });
}

bool PlanRunner::can_commit(TensorImpl* const* slots) const {
  for (size_t s = plan_->commit; s < plan_->steps.size(); ++s)
    if (!can_write_over(s, slots)) return false;
  for (int32_t input : plan_->commit_inputs) {
    if (!slots[input]->contiguous) return false;
    for (int32_t result : plan_->commit_results)  // it may be that input itself
      if (slots[result]->storage.get() == slots[input]->storage.get()) return false;
  }
  return true;
}

void PlanRunner::hold_reads(TensorImpl* const* slots, PendingRun* pending) const {
  pending->reads_.reserve(plan_->commit_inputs.size());
  for (int32_t input : plan_->commit_inputs) {
    TensorImpl* const impl = slots[input];
    pending->reads_.push_back({Tensor::share(impl), impl->storage, impl->storage->version});
  }
}

// From then on the results' slots hold the tensors of the overwritten inputs.
Status PlanRunner::write_over(size_t index, TensorImpl** slots) const {
  const PlanStep& step = plan_->steps[index];
  for (int32_t slot : step.fresh)
    slots[slot] = Tensor::share(slots[plan_->target_of[slot]]).release();
  std::optional<profile::Span> span;
  if (profile::on()) span.emplace(profile::Kind::kKernel, work_of_step(*plan_, step));
  Status status;
  if (!run_fused(*units_[index], slots)) status = run_one_by_one(step, slots);
  for (int32_t slot : step.fresh) ++slots[slot]->storage->version;
  return status;
}

Status PlanRunner::commit(TensorImpl** slots) const {
  Status status;
  for (size_t s = plan_->commit; s < plan_->steps.size() && status.ok(); ++s)
    status = write_over(s, slots);
  return status;
}

bool PendingRun::still_holds() const {
  return std::ranges::all_of(reads_, [](const Read& read) {
    return read.tensor.storage().get() == read.storage.get() &&
           read.storage->version == read.version;
  });
}

Status PendingRun::commit() {
  if (!waits()) return {};
  Status status = runner_->commit(workspace_->slots.data());
  drop();
  return status;
}

void PendingRun::drop() {
  if (Workspace* const workspace = std::exchange(workspace_, nullptr)) runner_->end_run(workspace);
  reads_.clear();
}

}  // namespace msjit
