// What dumps, explain and profilers are told of plans.
#include <algorithm>

#include "codegen/plan.h"

namespace msjit {
namespace {

const char* kind_name(PlanSlotKind kind) {
  switch (kind) {
    case PlanSlotKind::kInput: return "input";
    case PlanSlotKind::kConstant: return "constant";
    case PlanSlotKind::kArena: return "arena";
    case PlanSlotKind::kFresh: return "fresh";
    case PlanSlotKind::kView: return "view";
    case PlanSlotKind::kResult: return "result";
    case PlanSlotKind::kTemp: break;
  }
  return "temp";
}

}  // namespace

std::string describe_step(const Plan& plan, const PlanStep& step) {
  static const char* const kNames[] = {"fused", "op", "view", "control", "weight"};
  std::string text = kNames[static_cast<int>(step.kind)];
  for (const PlanOp& op : step.ops) text += fmt::format(" {}", op.node->op->name);
  text += " (";
  std::vector<int32_t> seen;
  auto list = [&](int32_t s) {
    if (s < 0 || std::find(seen.begin(), seen.end(), s) != seen.end()) return;
    seen.push_back(s);
    const PlanSlot& slot = plan.slots[s];
    if (slot.kind == PlanSlotKind::kTemp) return;
    text += fmt::format("{}%{} {} {}", text.back() == '(' ? "" : ", ", slot.value, slot.meta.str(),
                        kind_name(slot.kind));
    if (slot.kind == PlanSlotKind::kArena) text += fmt::format("+{}", slot.offset);
    if (slot.channels_last) text += " NHWC";
    if (step.takes >= 0 && s == step.ops[0].out[0])
      text += fmt::format(" in place of %{}", plan.slots[step.takes].value);
    if (step.reuses >= 0 && s == step.ops[0].out[0])
      text += fmt::format(" in place of %{} if unshared", plan.slots[step.reuses].value);
    if (!plan.target_of.empty() && plan.target_of[s] >= 0)
      text += fmt::format(" over %{}", plan.slots[plan.target_of[s]].value);
  };
  for (const PlanOp& op : step.ops)
    for (int32_t s : op.in) list(s);
  seen.clear();
  text += ") -> (";
  for (const PlanOp& op : step.ops)
    for (int32_t s : op.out) list(s);
  return text + ")";
}

profile::Work work_of_step(const Plan& plan, const PlanStep& step) {
  profile::Work work;
  for (const PlanOp& op : step.ops) {
    work.name += fmt::format("{}{}", work.name.empty() ? "" : "+", op.node->op->name);
    if (step.kind == PlanStepKind::kControl || step.kind == PlanStepKind::kWeight) continue;
    InlineVec<const Meta*, 4> in, out;
    for (int32_t s : op.in) in.push_back(s < 0 ? nullptr : &plan.slots[s].meta);
    for (int32_t s : op.out) out.push_back(&plan.slots[s].meta);
    const profile::Work one = profile::work_of(*op.node->op, op.node->attrs, in, out);
    work.bytes += one.bytes;
    work.flops += one.flops;
  }
  if (step.kind != PlanStepKind::kFused) return work;
  work.bytes = 0;  // what stays inside the loop is not stored
  for (const FusedProgram::Operand& operand : step.fused->operands)
    work.bytes += plan.slots[operand.slot].bytes;
  return work;
}

std::string Plan::str() const {
  std::string text;
  for (const PlanStep& step : steps) text += describe_step(*this, step) + "\n";
  return text + fmt::format("arena {} bytes, {} outputs\n", arena_bytes, outputs.size());
}

}  // namespace msjit
