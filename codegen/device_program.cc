#include "codegen/device_program.h"

#include <algorithm>

#include "codegen/device_ops.h"
#include "codegen/fusion.h"
#include "graph/control.h"
#include "graph/pipeline.h"

namespace msjit {

Result<std::unique_ptr<DeviceProgram>> DeviceProgram::compile(const Graph& graph, bool open_sizes,
                                                              devices::Context& at) {
  auto optimised = std::make_shared<Graph>(graph);
  MSJIT_OK(run_pipeline(*optimised, has_fused_kernels()));
  MSJIT_TRY(auto plan, make_plan(std::move(optimised), graph, false, open_sizes));
  return from_plan(std::move(plan), at);
}

Result<std::unique_ptr<DeviceProgram>> DeviceProgram::from_plan(std::shared_ptr<const Plan> plan,
                                                                devices::Context& at) {
  std::unique_ptr<DeviceProgram> program(new DeviceProgram(at));
  program->plan_ = std::move(plan);
  for (const PlanStep& step : program->plan_->steps) {
    auto& unit = program->units_.emplace_back();
    if (step.fused)
      unit = std::make_unique<DeviceUnit>(step.fused, shapes_of(*program->plan_, *step.fused),
                                          program->plan_->open_sizes);
    auto& inner = program->nested_.emplace_back();
    for (const auto& nested : step.nested) {
      MSJIT_TRY(auto made, from_plan(nested, at));
      inner.push_back(std::move(made));
    }
  }
  MSJIT_OK(program->load_constants());
  program->find_last_uses();
  return program;
}

// Fused loops need their constants on the device. Other operators handle constants themselves.
Status DeviceProgram::load_constants() {
  constants_.resize(plan_->slots.size());
  for (const auto& unit : units_) {
    if (!unit) continue;
    for (const FusedProgram::Operand& operand : unit->program().operands) {
      const auto slot = static_cast<size_t>(operand.slot);
      if (plan_->slots[slot].kind != PlanSlotKind::kConstant || constants_[slot]) continue;
      MSJIT_TRY(constants_[slot], devices::to_device(plan_->slots[slot].constant, at_.device));
    }
  }
  return {};
}

void DeviceProgram::find_last_uses() {
  std::vector<int64_t> last(plan_->slots.size(), -1);
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    const PlanStep& step = plan_->steps[s];
    const auto use = [&](int32_t slot) {
      if (slot >= 0) last[static_cast<size_t>(slot)] = static_cast<int64_t>(s);
    };
    if (step.fused)
      for (const FusedProgram::Operand& operand : step.fused->operands) use(operand.slot);
    else
      for (const PlanOp& op : step.ops) {
        std::ranges::for_each(op.in, use);
        std::ranges::for_each(op.out, use);
      }
  }
  for (const PlanOutput& output : plan_->outputs) last[static_cast<size_t>(output.slot)] = -1;
  dead_after_.resize(plan_->steps.size());
  for (size_t slot = 0; slot < last.size(); ++slot)
    if (last[slot] >= 0)
      dead_after_[static_cast<size_t>(last[slot])].push_back(static_cast<int32_t>(slot));
}

bool DeviceProgram::stays() const {
  return std::ranges::all_of(plan_->steps, [](const PlanStep& step) {
    return step.fused || step.kind == PlanStepKind::kView ||
           (step.kind == PlanStepKind::kOp && step.ops[0].node->op->device_kernel());
  });
}

// ---- a run ----
Status DeviceProgram::run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const {
  Slots slots(plan_->slots.size());
  std::ranges::copy(inputs, slots.begin());
  for (size_t i = 0; i < slots.size(); ++i)
    if (plan_->slots[i].kind == PlanSlotKind::kConstant)
      slots[i] = constants_[i] ? constants_[i] : plan_->slots[i].constant;
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    MSJIT_OK(run_step(s, slots));
    for (int32_t slot : dead_after_[s]) slots[static_cast<size_t>(slot)] = Tensor();
  }
  return collect(slots, outputs);
}

Status DeviceProgram::run_step(size_t index, Slots& slots) const {
  const PlanStep& step = plan_->steps[index];
  if (units_[index]) return run_fused(*units_[index], slots);
  if (step.kind == PlanStepKind::kControl) return run_controlled(index, slots);
  for (const PlanOp& op : step.ops) MSJIT_OK(run_op(op, slots));
  return {};
}

Status DeviceProgram::run_fused(DeviceUnit& unit, Slots& slots) const {
  const FusedProgram& program = unit.program();
  InlineVec<Tensor, 8> operands;
  for (size_t i = 0; i < program.operands.size(); ++i) {
    const auto slot = static_cast<size_t>(program.operands[i].slot);
    if (static_cast<int>(i) >= program.num_inputs) {
      Meta meta = plan_->slots[slot].meta;
      meta.device = at_.device;
      MSJIT_TRY(slots[slot], Tensor::empty(meta));
    } else if (slots[slot].device().is_host()) {  // a number
      MSJIT_TRY(slots[slot], device_number(at_, slots[slot]));
    }
    operands.push_back(slots[slot]);
  }
  return unit.run(at_, device_code(at_).kernels, {operands.data(), operands.size()});
}

Status DeviceProgram::run_op(const PlanOp& op, Slots& slots) const {
  InlineVec<Tensor, 4> in;
  for (int32_t slot : op.in) in.push_back(slot < 0 ? Tensor() : slots[static_cast<size_t>(slot)]);
  TensorVec out;
  MSJIT_OK(run_op_untracked(*op.node->op, {in.data(), in.size()}, op.node->attrs, &out));
  for (uint32_t i = 0; i < op.out.size(); ++i) {
    Tensor& made = slots[static_cast<size_t>(op.out[i])];
    made = std::move(out[i]);
    if (made.meta().weak == plan_->slots[op.out[i]].meta.weak) continue;
    made = made.detach();
    made.impl()->meta.weak = plan_->slots[op.out[i]].meta.weak;
  }
  return {};
}

Status DeviceProgram::run_controlled(size_t index, Slots& slots) const {
  const PlanOp& op = plan_->steps[index]->ops[0];
  std::vector<Tensor> in, out;
  for (int32_t slot : op.in) in.push_back(slots[static_cast<size_t>(slot)]);
  const auto run = [&](int sub, std::span<const Tensor> args, std::vector<Tensor>* results) {
    const DeviceProgram& program = *nested_[index][static_cast<size_t>(sub)];
    results->resize(program.plan_->outputs.size());
    return program.run(args, *results);
  };
  MSJIT_OK(run_control(*op.node, in, run, &out));
  for (uint32_t i = 0; i < op.out.size(); ++i) slots[static_cast<size_t>(op.out[i])] = out[i];
  return {};
}

Status DeviceProgram::collect(Slots& slots, std::span<Tensor> outputs) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const PlanOutput& from = plan_->outputs[i];
    const auto index = static_cast<size_t>(from.slot);
    Tensor& slot = slots[index];
    const Meta& meta = plan_->slots[index].meta;
    if (slot.device() != meta.device) {  // a constant or a number that went to the other side
      MSJIT_TRY(slot, devices::to_device(slot, meta.device));
    }
    using How = PlanOutput::How;
    if (from.how == How::kCopy) {
      MSJIT_TRY(outputs[i], Tensor::empty(slot.meta()));
      MSJIT_OK(copy_elements(slot, outputs[i]));
    } else {
      outputs[i] = from.how == How::kAlias ? slot.detach() : slot;
    }
  }
  return {};
}

}  // namespace msjit
