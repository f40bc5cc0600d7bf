// Results that replace inputs: new Parameters, moments, running statistics. A fused loop that
// computes nothing else can write them over those inputs, element by element. Such loops are moved
// to the end of the plan. By then everything that can fail has been done, and other steps have read
// the old values. When nothing discards a run that has ended, they come as early as possible
// instead (early_writes.cc).
#include <algorithm>
#include <utility>

#include "codegen/plan.h"

namespace msjit {
namespace {

class CommitPlanner {
 public:
  CommitPlanner(Plan* plan, std::span<const Overwrite> overwrites)
      : plan_(*plan),
        overwrites_(overwrites),
        base_(find_bases(*plan)),
        target_(plan->slots.size(), -1),
        readers_(plan->slots.size()),
        noted_(plan->slots.size()) {}

  // False when the steps have no valid order, or none writes over inputs.
  bool write_early() {
    if (std::ranges::any_of(plan_.steps, [](const PlanStep& s) { return !s.nested.empty(); }))
      return false;  // its outputs may be inputs, handed on
    find_targets(true);
    const std::vector<char> writes = find_writers();
    const std::vector<size_t> order = early_order(plan_, base_, target_, writes);
    if (order.empty() || std::ranges::count(writes, 0) == std::ssize(writes)) return false;
    std::vector<SharedStep> steps;
    for (size_t s : order) {
      PlanStep& step = steps.emplace_back(std::move(plan_.steps[s]));
      step.writes_over = writes[s];
      step.in_order = step.writes_over && reads_before_writes(step);
    }
    plan_.steps = std::move(steps);
    plan_.commit = plan_.steps.size();
    plan_.writes_early = true;
    set_targets();
    return true;
  }

  void write_last() {
    find_targets(false);
    const std::vector<char> last = find_writers();
    std::vector<SharedStep> first, behind;
    for (size_t s = 0; s < last.size(); ++s)
      (last[s] ? behind : first).push_back(std::move(plan_.steps[s]));
    plan_.commit = first.size();
    for (SharedStep& step : behind) {
      note_reads(step);
      step->writes_over = true;
      step->in_order = reads_before_writes(step);
      first.push_back(std::move(step));
    }
    plan_.steps = std::move(first);
    set_targets();
  }

 private:
  std::vector<char> find_writers() {
    std::vector<char> found(plan_.steps.size());
    std::ranges::fill(readers_, 0);
    for (size_t s = 0; s < found.size(); ++s)
      if ((found[s] = overwrites_alone(plan_.steps[s]))) count_readers(plan_.steps[s], 1);
    for (size_t s = 0; s < found.size(); ++s)
      if (found[s] && is_read_by_others(plan_.steps[s])) {
        count_readers(plan_.steps[s], -1);
        found[s] = false;
      }
    return found;
  }

  void set_targets() {
    plan_.target_of.assign(target_.size(), -1);
    for (const PlanStep& step : plan_.steps)
      for (int32_t slot : step.fresh)
        if (step.writes_over) plan_.target_of[slot] = target_[slot];
  }

  // Finds the outputs that can be written in place: values with their own storage that leave the
  // run once. `read`: also values that other steps read; these steps then read them from the input,
  // after the write.
  void find_targets(bool read) {
    std::ranges::fill(target_, -1);
    std::vector<int> uses(plan_.slots.size());  // of its memory
    for (const PlanStep& step : plan_.steps)
      for (const PlanOp& op : step.ops)
        for (int32_t s : op.in)
          if (s >= 0 && !read && !makes(step, base_[s])) ++uses[base_[s]];
    for (const PlanOutput& output : plan_.outputs) ++uses[base_[output.slot]];
    std::vector<char> leaves(plan_.slots.size());
    for (const PlanOutput& output : plan_.outputs) leaves[base_[output.slot]] = 1;
    for (const Overwrite& overwrite : overwrites_) {
      const PlanOutput& output = plan_.outputs[overwrite.output];
      const PlanSlot &from = plan_.slots[output.slot], &to = plan_.slots[overwrite.input];
      if (output.how == PlanOutput::How::kTake && from.kind == PlanSlotKind::kFresh &&
          uses[output.slot] == 1 && !leaves[overwrite.input] && from.meta.dtype == to.meta.dtype &&
          from.meta.shape == to.meta.shape)
        target_[output.slot] = overwrite.input;
    }
  }

  static bool makes(const PlanStep& step, int32_t slot) {
    return std::ranges::any_of(step.ops, [&](const PlanOp& op) {
      return std::ranges::find(op.out, slot) != op.out.end();
    });
  }

  // Whether all results of a step overwrite inputs, and each element is read, if at all, right
  // before it is overwritten.
  bool overwrites_alone(const PlanStep& step) const {
    if (!step.fused || step.fused->reduced || step.fused->stages.size() != 1 ||
        !step.fused->tail.empty())
      return false;
    const auto& operands = step.fused->operands;
    const auto is_overwritten = [&](int32_t input) {
      return std::ranges::any_of(operands, [&](const FusedProgram::Operand& operand) {
        return operand.output && target_[operand.slot] == input;
      });
    };
    return std::ranges::all_of(operands, [&](const FusedProgram::Operand& operand) {
      if (operand.output) return target_[operand.slot] >= 0;
      if (!is_overwritten(base_[operand.slot])) return true;
      return plan_.slots[operand.slot].kind == PlanSlotKind::kInput &&
             plan_.slots[operand.slot].meta.shape == plan_.slots[step.fused->space].meta.shape;
    });
  }

  // Whether no op of the step reads an input that an earlier op has overwritten.
  bool reads_before_writes(const PlanStep& step) const {
    std::vector<int32_t> written;
    for (const PlanOp& op : step.ops) {
      for (int32_t s : op.in)
        if (s >= 0 && std::ranges::find(written, s) != written.end()) return false;
      for (int32_t s : op.out) {
        if (target_[s] < 0) continue;
        if (!op.node->op->has(kElementwise)) return false;
        written.push_back(target_[s]);
      }
    }
    return true;
  }

  // The slots whose memory a step reads, each once.
  std::vector<int32_t> read_by(const PlanStep& step) const {
    std::vector<int32_t> slots;
    for (const FusedProgram::Operand& operand : step.fused->operands)
      if (!operand.output) slots.push_back(base_[operand.slot]);
    std::ranges::sort(slots);
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    return slots;
  }

  void count_readers(const PlanStep& step, int by) {
    for (int32_t slot : read_by(step)) readers_[slot] += by;
  }

  // Whether another writing step reads what this one overwrites.
  bool is_read_by_others(const PlanStep& step) const {
    const std::vector<int32_t> own = read_by(step);
    return std::ranges::any_of(step.fused->operands, [&](const FusedProgram::Operand& operand) {
      if (!operand.output) return false;
      const int32_t target = target_[operand.slot];
      return readers_[target] > (std::ranges::binary_search(own, target) ? 1 : 0);
    });
  }

  void note_reads(const PlanStep& step) {
    for (const auto& operand : step.fused->operands) {
      const int32_t slot = operand.output ? target_[operand.slot] : base_[operand.slot];
      if (std::exchange(noted_[slot], 1)) continue;
      if (plan_.slots[slot].kind == PlanSlotKind::kInput) plan_.commit_inputs.push_back(slot);
      if (plan_.slots[slot].kind == PlanSlotKind::kResult) plan_.commit_results.push_back(slot);
    }
  }

  Plan& plan_;
  const std::span<const Overwrite> overwrites_;
  const std::vector<int32_t> base_;
  std::vector<int32_t> target_;  // by slot
  std::vector<int> readers_;     // by slot: the number of writing steps that read it
  std::vector<char> noted_;      // by slot
};

}  // namespace

void plan_commit(Plan* plan, std::span<const Overwrite> overwrites, bool early) {
  plan->commit = plan->steps.size();
  if (overwrites.empty()) return;
  CommitPlanner planner(plan, overwrites);
  if (!early || !planner.write_early()) planner.write_last();
}

}  // namespace msjit
