// Finds the earliest place for a step that writes over inputs before the run ends: after the last
// step that reads what it overwrites, and after all steps that may fail. An optimizer's update then
// comes right after its gradient, and the gradient's memory can serve the gradients that follow.
#include <algorithm>
#include <numeric>
#include <utility>

#include "codegen/plan.h"
#include "kernels/core/checks.h"

namespace msjit {

extern const OpDef op_gather, op_index_update;

namespace {

// A step with results of at most this size runs as early as possible: a learning rate, a bias
// correction.
constexpr int64_t kFewBytes = 64;

class EarlyOrder {
 public:
  EarlyOrder(const Plan& plan, std::span<const int32_t> base, std::span<const int32_t> target,
             std::span<const char> writes)
      : plan_(plan), base_(base), target_(target), writes_(writes), maker_(base.size(), -1) {
    for (size_t s = 0; s < plan.steps.size(); ++s)
      for (const PlanOp& op : plan.steps[s]->ops)
        for (int32_t slot : op.out) maker_[slot] = static_cast<int32_t>(s);
  }

  // Empty when there is no valid order.
  std::vector<size_t> run() {
    place_all();
    std::vector<size_t> order(place_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(
        order, {}, [&](size_t s) { return std::pair(place_[s].behind, place_[s].moved); });
    return holds(order) ? order : std::vector<size_t>();
  }

 private:
  // A place in the order: behind step `behind`. The step itself has `moved` 0; steps that are moved
  // behind it have 1.
  struct Place {
    int32_t behind = -1;
    int32_t moved = 0;
  };

  void place_all() {
    int32_t failing = -1;  // the last step that may
    std::vector<int32_t> reader(base_.size(), -1);
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      if (may_fail(s)) failing = static_cast<int32_t>(s);
      each_read(s, [&](int32_t slot) {
        if (!writes_[s]) reader[base_[slot]] = static_cast<int32_t>(s);
      });
    }
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      Place place;
      each_read(s, [&](int32_t slot) {
        if (maker_[slot] >= 0 && maker_[slot] != static_cast<int32_t>(s))
          place.behind = std::max(place.behind, place_[maker_[slot]].behind);
      });
      place.moved = 1;
      if (writes_[s]) {
        place.behind = std::max(place.behind, failing);
        for (int32_t slot : plan_.steps[s]->fresh)
          place.behind = std::max(place.behind, reader[target_[slot]]);
      } else if (!moves(plan_.steps[s])) {
        place = {static_cast<int32_t>(s), 0};
      }
      place_.push_back(place);
    }
  }

  // Whether a step can fail because of its inputs' contents, or runs steps that can.
  bool may_fail(size_t s) const {
    const PlanStep& step = plan_.steps[s];
    const OpDef* const op = step.ops[0].node->op;
    if (step.kind != PlanStepKind::kOp) return step.kind == PlanStepKind::kControl;
    return op->may_fail() && !is_seen(s);
  }

  // An index_update with the indices of an earlier gather along an axis of equal length cannot
  // fail: the gather has checked them. The gradient of the gather is such a step.
  bool is_seen(size_t s) const {
    const PlanOp& op = plan_.steps[s]->ops[0];
    if (op.node->op != &op_index_update || op.in.size() != 3) return false;
    const Shape& shape = plan_.slots[op.in[0]].meta.shape;
    const auto axis = static_cast<int>(op.node->attrs[0].as_list()[0]);
    return std::any_of(plan_.steps.begin(), plan_.steps.begin() + s, [&](const PlanStep& earlier) {
      const PlanOp& pick = earlier.ops[0];
      if (pick.node->op != &op_gather || pick.in[1] != op.in[2]) return false;
      const Shape& from = plan_.slots[pick.in[0]].meta.shape;
      const int64_t along = normal_axis(pick.node->attrs[0].as_int(), from.rank());
      return from[static_cast<int>(along)] == shape[axis];
    });
  }

  bool moves(const PlanStep& step) const {
    if (step.kind == PlanStepKind::kView) return true;
    return step.kind == PlanStepKind::kFused &&
           std::ranges::all_of(step.ops, [&](const PlanOp& op) {
             return std::ranges::all_of(
                 op.out, [&](int32_t slot) { return plan_.slots[slot].bytes <= kFewBytes; });
           });
  }

  template <typename F>
  void each_read(size_t s, F f) const {
    for (const PlanOp& op : plan_.steps[s]->ops)
      for (int32_t slot : op.in)
        if (slot >= 0) f(slot);
  }

  // Whether each step reads only values that have been made, and no input that has been
  // overwritten.
  bool holds(std::span<const size_t> order) const {
    std::vector<char> made(base_.size()), gone(base_.size());
    for (size_t s : order) {
      bool holds = true;
      for (const PlanOp& op : plan_.steps[s]->ops) {
        for (int32_t slot : op.in)
          holds &= slot < 0 || ((maker_[slot] < 0 || made[slot]) && !gone[base_[slot]]);
        for (int32_t slot : op.out) made[slot] = 1;
      }
      if (!holds) return false;
      if (writes_[s])
        for (int32_t slot : plan_.steps[s]->fresh) gone[target_[slot]] = 1;
    }
    return true;
  }

  const Plan& plan_;
  std::span<const int32_t> base_, target_;
  std::span<const char> writes_;
  std::vector<int32_t> maker_;  // by slot: the step that makes it
  std::vector<Place> place_;    // by step
};

}  // namespace

std::vector<size_t> early_order(const Plan& plan, std::span<const int32_t> base,
                                std::span<const int32_t> target, std::span<const char> writes) {
  return EarlyOrder(plan, base, target, writes).run();
}

}  // namespace msjit
