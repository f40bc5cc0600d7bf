// Steps whose result is an input with changes (kUpdates), as `y[i] = v` makes them. If nothing
// reads that input afterwards, the result takes over its memory, and the step writes the changes
// alone. What a loop carries is an input of its body. Whether its memory is the loop's own only a
// run can tell.
#include <algorithm>

#include "codegen/plan.h"

namespace msjit {
namespace {

class TakeoverPlanner {
 public:
  TakeoverPlanner(Plan* plan, bool nested)
      : plan_(*plan),
        nested_(nested),
        base_(find_bases(*plan)),
        last_use_(plan->slots.size(), -1),
        writer_(plan->slots.size(), -1) {
    for (size_t s = 0; s < plan_.steps.size(); ++s)
      for (const PlanOp& op : plan_.steps[s]->ops) {
        for (int32_t slot : op.out) writer_[slot] = static_cast<int32_t>(s);
        for (int32_t slot : op.in)
          if (slot >= 0) last_use_[base_[slot]] = static_cast<int32_t>(s);
      }
  }

  void run() {
    std::vector<PlanStep*> found;
    for (size_t s = 0; s < plan_.steps.size(); ++s)
      if (changes_last_use(plan_.steps[s], static_cast<int32_t>(s)))
        found.push_back(plan_.steps[s].get());
    for (PlanStep* step : found)
      if (may_take(*step)) step->takes = step->ops[0].in[0];
    // A result that leaves the run has memory of its own, which the first step of the chain makes.
    for (size_t s = plan_.steps.size(); s-- > 0;)
      if (plan_.steps[s]->takes >= 0) pass_back(plan_.steps[s].get());
    for (PlanStep* step : found)
      if (may_reuse(*step)) reuse(step);
  }

 private:
  // Whether the step changes what it reads, and nothing reads that afterwards.
  bool changes_last_use(const PlanStep& step, int32_t index) const {
    if (step.kind != PlanStepKind::kOp || !step.ops[0].node->op->has(kUpdates)) return false;
    const int32_t from = step.ops[0].in[0], to = step.ops[0].out[0];
    if (from < 0 || last_use_[base_[from]] != index) return false;
    const PlanSlot &before = plan_.slots[from], &after = plan_.slots[to];
    return before.meta == after.meta && !before.channels_last && !after.channels_last &&
           (after.kind == PlanSlotKind::kArena || after.kind == PlanSlotKind::kFresh);
  }

  bool may_take(const PlanStep& step) const {
    return plan_.slots[step.ops[0].in[0]].kind == PlanSlotKind::kArena;
  }

  bool may_reuse(const PlanStep& step) const {
    const int32_t from = step.ops[0].in[0];
    return nested_ && plan_.slots[from].kind == PlanSlotKind::kInput &&
           plan_.slots[step.ops[0].out[0]].kind == PlanSlotKind::kFresh &&
           std::ranges::none_of(plan_.outputs,
                                [&](const PlanOutput& out) { return base_[out.slot] == from; });
  }

  void reuse(PlanStep* step) {
    step->reuses = step->ops[0].in[0];
    const auto& read = step->ops[0].in;
    for (size_t s = 0; s < base_.size(); ++s)
      if (base_[s] == step->reuses && plan_.slots[s].kind == PlanSlotKind::kView &&
          std::ranges::find(read, static_cast<int32_t>(s)) == read.end())
        step->dead_views.push_back(static_cast<int32_t>(s));
  }

  void pass_back(PlanStep* step) {
    if (plan_.slots[step->ops[0].out[0]].kind != PlanSlotKind::kFresh) return;
    step->fresh.clear();
    plan_.slots[step->takes].kind = PlanSlotKind::kFresh;
    PlanStep& writer = plan_.steps[writer_[step->takes]];
    if (writer.takes < 0) writer.fresh.push_back(step->takes);
  }

  Plan& plan_;
  const bool nested_;
  const std::vector<int32_t> base_;
  std::vector<int32_t> last_use_, writer_;  // by slot: steps
};

}  // namespace

void plan_takeovers(Plan* plan, bool nested) { TakeoverPlanner(plan, nested).run(); }

}  // namespace msjit
