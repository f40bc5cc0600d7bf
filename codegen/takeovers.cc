// Steps whose result is an input with changes (kUpdates), as `y[i] = v` makes them. If nothing
// reads that input afterwards, the result takes over its memory, and the step writes the changes
// alone.
#include <algorithm>

#include "codegen/plan.h"

namespace msjit {
namespace {

class TakeoverPlanner {
 public:
  explicit TakeoverPlanner(Plan* plan)
      : plan_(*plan),
        base_(find_bases(*plan)),
        last_use_(plan->slots.size(), -1),
        writer_(plan->slots.size(), -1) {
    for (size_t s = 0; s < plan_.steps.size(); ++s)
      for (const PlanOp& op : plan_.steps[s].ops) {
        for (int32_t slot : op.out) writer_[slot] = static_cast<int32_t>(s);
        for (int32_t slot : op.in)
          if (slot >= 0) last_use_[base_[slot]] = static_cast<int32_t>(s);
      }
  }

  void run() {
    for (size_t s = 0; s < plan_.steps.size(); ++s)
      if (may_take(plan_.steps[s], static_cast<int32_t>(s)))
        plan_.steps[s].takes = plan_.steps[s].ops[0].in[0];
    // A result that leaves the run has memory of its own, which the first step of the chain makes.
    for (size_t s = plan_.steps.size(); s-- > 0;)
      if (plan_.steps[s].takes >= 0) pass_back(&plan_.steps[s]);
  }

 private:
  bool may_take(const PlanStep& step, int32_t index) const {
    if (step.kind != PlanStepKind::kOp || !step.ops[0].node->op->has(kUpdates)) return false;
    const int32_t from = step.ops[0].in[0], to = step.ops[0].out[0];
    if (from < 0 || last_use_[base_[from]] != index) return false;
    const PlanSlot &before = plan_.slots[from], &after = plan_.slots[to];
    return before.kind == PlanSlotKind::kArena && before.meta == after.meta &&
           (after.kind == PlanSlotKind::kArena || after.kind == PlanSlotKind::kFresh) &&
           !before.channels_last && !after.channels_last;
  }

  void pass_back(PlanStep* step) {
    if (plan_.slots[step->ops[0].out[0]].kind != PlanSlotKind::kFresh) return;
    step->fresh.clear();
    plan_.slots[step->takes].kind = PlanSlotKind::kFresh;
    PlanStep& writer = plan_.steps[writer_[step->takes]];
    if (writer.takes < 0) writer.fresh.push_back(step->takes);
  }

  Plan& plan_;
  const std::vector<int32_t> base_;
  std::vector<int32_t> last_use_, writer_;  // by slot: steps
};

}  // namespace

void plan_takeovers(Plan* plan) { TakeoverPlanner(plan).run(); }

}  // namespace msjit
