// Decides which images lie in memory channels last (N, H, W, C). Convolutions read and write this
// order fastest; they convert other images before and after each run. Images that the same fused
// loops walk are decided on together: all of them lie channels last, or none. It pays when it saves
// more bytes of conversions than the loops then gather from, or scatter to, images that stay plain.
// Images stay plain that the caller, a view or an operator without kChannelsLast reads or writes.
#include <algorithm>
#include <numeric>

#include "codegen/fusion.h"
#include "codegen/plan.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/onednn.h"

namespace msjit {
namespace {

constexpr int64_t kLeastElements = 4096;  // of an image; smaller ones are converted quickly

// In memory that the plan owns.
bool is_image(const PlanSlot& slot) {
  const Shape& shape = slot.meta.shape;
  return slot.kind == PlanSlotKind::kArena && shape.rank() == 4 &&
         shape.numel() >= kLeastElements && shape[1] > 1 && shape[2] * shape[3] > 1;
}

class Chooser {
 public:
  explicit Chooser(Plan* plan) : plan_(*plan), parent_(plan->slots.size()), worth_(parent_.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  void run() {
    find_candidates();
    for (const PlanStep& step : plan_.steps) weigh(step);
    for (size_t s = 0; s < candidate_.size(); ++s)
      plan_.slots[s].channels_last = candidate_[s] && worth_[find(static_cast<int32_t>(s))] > 0;
    mark_programs();
  }

 private:
  // Finds the images that only kernels for either order read and write.
  void find_candidates() {
    for (const PlanSlot& slot : plan_.slots) candidate_.push_back(is_image(slot));
    for (const PlanStep& step : plan_.steps)
      for (const PlanOp& op : step.ops) {
        for (int32_t s : op.in)
          if (s >= 0 && candidate_[s] && !walks(step, s)) candidate_[s] = 0;
        for (int32_t s : op.out)
          if (candidate_[s] && !walks(step, s)) candidate_[s] = 0;
      }
    for (const PlanOutput& output : plan_.outputs) candidate_[output.slot] = 0;
  }

  // Kernels convert images of other dtypes, but for the bytes from which they make floats.
  bool in_either_order(const PlanOp& op, const PlanSlot& slot) const {
    const DType dtype = slot.meta.dtype;
    const bool bytes = dtype == DType::kInt8 || dtype == DType::kUInt8;
    return dtype == DType::kFloat32 ||
           (bytes && plan_.slots[op.out[0]].meta.dtype == DType::kFloat32);
  }
  bool walks(const PlanStep& step, int32_t s) const {
    const PlanSlot& slot = plan_.slots[s];
    if (step.kind == PlanStepKind::kOp)
      return step.ops[0].node->op->has(kChannelsLast) && in_either_order(step.ops[0], slot);
    if (step.kind != PlanStepKind::kFused) return false;
    return std::ranges::all_of(step.fused->operands, [&](const FusedProgram::Operand& operand) {
      return operand.slot != s || is_whole(*step.fused, operand);
    });
  }

  // Whether an operand has one element for each point of the loop.
  bool is_whole(const FusedProgram& program, const FusedProgram::Operand& operand) const {
    return !operand.tail &&
           plan_.slots[operand.slot].meta.shape == plan_.slots[program.space].meta.shape;
  }

  void weigh(const PlanStep& step) {
    if (step.kind == PlanStepKind::kOp) {
      for (int32_t s : step.ops[0].in)
        if (s >= 0 && candidate_[s]) worth_[find(s)] += plan_.slots[s].bytes;
      for (int32_t s : step.ops[0].out)
        if (candidate_[s]) worth_[find(s)] += plan_.slots[s].bytes;
      return;
    }
    if (step.kind != PlanStepKind::kFused) return;
    int32_t first = -1;
    int64_t plain = 0;
    for (const FusedProgram::Operand& operand : step.fused->operands) {
      if (!is_whole(*step.fused, operand)) continue;
      if (!candidate_[operand.slot])
        plain += plan_.slots[operand.slot].bytes;
      else if (first < 0)
        first = find(operand.slot);
      else
        join(first, operand.slot);
    }
    if (first >= 0) worth_[find(first)] -= 2 * plain;
  }

  int32_t find(int32_t s) {
    while (parent_[s] != s) s = parent_[s] = parent_[parent_[s]];
    return s;
  }
  void join(int32_t a, int32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return;
    parent_[b] = a;
    worth_[a] += worth_[b];
  }

  // A fused step's program says for each operand whether it lies channels last.
  void mark_programs() {
    for (PlanStep& step : plan_.steps) {
      if (!step.fused) continue;
      const auto lies_so = [&](const FusedProgram::Operand& operand) {
        return plan_.slots[operand.slot].channels_last;
      };
      if (std::ranges::none_of(step.fused->operands, lies_so)) continue;
      auto program = std::make_shared<FusedProgram>(*step.fused);
      for (FusedProgram::Operand& operand : program->operands)
        operand.channels_last = lies_so(operand);
      step.fused = std::move(program);
      for (const PlanOp& op : step.ops)  // values kept only when the step runs op by op
        for (int32_t s : op.out)
          if (PlanSlot& slot = plan_.slots[s];
              slot.kind == PlanSlotKind::kTemp &&
              slot.meta.shape == plan_.slots[step.fused->space].meta.shape)
            slot.channels_last = true;
    }
  }

  Plan& plan_;
  std::vector<char> candidate_;
  std::vector<int32_t> parent_;
  std::vector<int64_t> worth_;  // of a set of slots, at its root: bytes saved
};

}  // namespace

void choose_channels_last(Plan* plan) {
  // oneDNN is asked last: the first answer takes longer than planning a small graph.
  if (has_fused_kernels() && std::ranges::any_of(plan->slots, is_image) &&
      onednn::prefers_channels_last())
    Chooser(plan).run();
}

}  // namespace msjit
