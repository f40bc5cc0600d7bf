#include "codegen/runner.h"

#include <algorithm>

#include "codegen/launch.h"
#include "graph/control.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/packed.h"

namespace msjit {
namespace {

void drop(TensorImpl*& slot) {
  if (slot) Tensor::steal(std::exchange(slot, nullptr));
}

Result<Tensor> temporary(const PlanSlot& slot) {
  if (!slot.channels_last) return Tensor::empty(slot.meta);
  MSJIT_TRY(Storage memory, Storage::allocate(static_cast<size_t>(slot.bytes)));
  Tensor t =
      Tensor::from_storage(std::move(memory), slot.meta.dtype, slot.meta.shape, slot.strides, 0);
  t.impl()->meta.weak = slot.meta.weak;
  return t;
}

// A view of the memory in the order (N, H, W, C).
Tensor as_rows(const Tensor& t) {
  constexpr int kOrder[] = {0, 2, 3, 1};
  Shape shape = t.shape(), strides = t.strides();
  while (shape.rank() < 4) {
    shape.insert(0, 1);
    strides.insert(0, 0);
  }
  Tensor rows = layout::permute(Tensor::view(t, shape, strides, 0), kOrder);
  rows.impl()->meta.weak = t.meta().weak;
  return rows;
}

// Runs an elementwise op whose result lies channels last: in that order it is contiguous.
Status run_channels_last(const PlanOp& op, std::span<const Tensor> in, const Tensor& out) {
  InlineVec<Tensor, 4> rows;
  for (const Tensor& t : in) rows.push_back(as_rows(t));
  Tensor result = as_rows(out);
  const OpDef& def = *op.node->op;
  KernelCtx ctx{def, {rows.data(), rows.size()}, {&result, 1}, op.node->attrs};
  return def.host_kernel()(ctx);
}

Result<Tensor> fresh_copy(TensorImpl* from, const Shape& strides = {}) {
  const Tensor source = Tensor::share(from);
  if (strides.rank() == 0) {
    MSJIT_TRY(Tensor copy, Tensor::empty(source.meta()));
    MSJIT_OK(copy_elements(source, copy));
    return copy;
  }
  Meta memory = source.meta();
  int64_t reach = 0;
  for (int d = 0; d < source.rank(); ++d) reach += strides[d] * (source.dim(d) - 1);
  memory.shape = Shape{reach + 1};
  MSJIT_TRY(const Tensor whole, Tensor::empty(memory));
  const Tensor copy = Tensor::view(whole, source.shape(), strides, 0);
  MSJIT_OK(copy_elements(source, copy));
  return copy;
}

}  // namespace

PlanRunner::PlanRunner(std::shared_ptr<const Plan> plan, const PlanRunner* like)
    : plan_(std::move(plan)), pool_(*plan_) {
  make_units(like);
  for (size_t i = 0; i < plan_->slots.size(); ++i) {
    PlanSlotKind kind = plan_->slots[i].kind;
    if (kind == PlanSlotKind::kFresh || kind == PlanSlotKind::kView ||
        kind == PlanSlotKind::kTemp || kind == PlanSlotKind::kResult)
      owned_.push_back(static_cast<int32_t>(i));
  }
  find_single();
}

PlanRunner::~PlanRunner() {
  for (const auto& unit : units_)
    if (unit) unit->remove_user();
}

void PlanRunner::make_units(const PlanRunner* like) {
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    const PlanStep& step = plan_->steps[s];
    const bool shared =
        like && s < like->units_.size() && plan_->steps[s].same(like->plan_->steps[s]);
    units_.push_back(step.fused ? make_unit(s, shared ? like : nullptr) : nullptr);
    if (step.fused) units_.back()->add_user();
    if (step.kind != PlanStepKind::kControl) continue;
    controls_.resize(plan_->steps.size());
    if (shared) {
      controls_[s] = like->controls_[s];
      continue;
    }
    for (const auto& nested : step.nested)
      controls_[s].runners.push_back(std::make_shared<PlanRunner>(nested));
  }
}

// `like`: shares this step.
std::shared_ptr<FusedUnit> PlanRunner::make_unit(size_t step, const PlanRunner* like) const {
  const auto& program = plan_->steps[step]->fused;
  FusedShapes shapes = shapes_of(*plan_, *program);
  std::vector<Shape> strides;
  for (int i = 0; i < program->num_inputs; ++i)
    strides.push_back(plan_->slots[program->operands[i].slot].strides);
  if (like && like->units_[step]->is_for(shapes, strides)) return like->units_[step];
  return std::make_shared<FusedUnit>(program, std::move(shapes), std::move(strides),
                                     plan_->open_sizes);
}

void PlanRunner::for_each_unit(const std::function<void(FusedUnit&)>& f) const {
  for (const auto& unit : units_)
    if (unit) f(*unit);
  for (const Control& control : controls_)
    for (const auto& runner : control.runners) runner->for_each_unit(f);
}

int64_t PlanRunner::bytes() const {
  const auto part = [](int64_t bytes, int64_t users) {
    return bytes / std::max<int64_t>(1, users);
  };
  auto bytes =
      static_cast<int64_t>(sizeof(Plan) + sizeof *this + plan_->slots.size() * sizeof(PlanSlot));
  if (const auto& graph = plan_->graph)
    bytes += static_cast<int64_t>(graph->nodes.size() * sizeof(Node) +
                                  graph->values.size() * sizeof(ValueInfo));
  for (const SharedStep& step : plan_->steps)
    bytes += part(static_cast<int64_t>(sizeof(PlanStep) + step->ops.size() * sizeof(PlanOp)),
                  step.plans());
  for (const auto& unit : units_)
    if (unit) bytes += part(unit->code_bytes(), unit->users());
  for (const Control& control : controls_)
    for (const auto& runner : control.runners) bytes += part(runner->bytes(), runner.use_count());
  return bytes;
}

void PlanRunner::release_memory() {
  pool_.release();
  for (const Control& control : controls_)
    for (const auto& runner : control.runners) runner->release_memory();
}

void PlanRunner::find_single() {
  if (plan_->steps.size() != 1 || !units_[0]) return;
  const FusedProgram& program = units_[0]->program();
  if (program.operands.size() > kMaxPointers) return;
  Single single;
  for (int i = 0; i < program.num_inputs; ++i) {
    int32_t s = program.operands[i].slot;
    const PlanSlot& slot = plan_->slots[s];
    if (slot.kind == PlanSlotKind::kInput && !units_[0]->is_contiguous(i)) return;
    if (slot.kind == PlanSlotKind::kInput)
      single.inputs.push_back({s, true, nullptr});
    else if (slot.kind == PlanSlotKind::kConstant)
      single.inputs.push_back({-1, true, slot.constant.impl()});
    else
      return;
  }
  for (size_t o = program.num_inputs; o < program.operands.size(); ++o) {
    int32_t found = -1;
    for (size_t k = 0; k < plan_->outputs.size(); ++k)
      if (plan_->outputs[k].slot == program.operands[o].slot) found = static_cast<int32_t>(k);
    if (found < 0) return;
    single.outputs.push_back({found, plan_->slots[program.operands[o].slot].meta});
  }
  bool plain = std::all_of(plan_->outputs.begin(), plan_->outputs.end(),
                           [](const PlanOutput& o) { return o.how == PlanOutput::How::kTake; });
  if (!plain || single.outputs.size() != plan_->outputs.size()) return;
  single.unit = units_[0].get();
  single_ = std::move(single);
}

bool PlanRunner::run_single(const BoundKernel& kernel, std::span<TensorImpl* const> inputs,
                            std::span<Tensor> outputs, Status* status) const {
  void* pointers[kMaxPointers + 1];
  void** next = pointers;
  for (const Single::Input& in : single_.inputs) {
    const TensorImpl* t = in.index >= 0 ? inputs[in.index] : in.constant;
    if (in.index >= 0 && !t->contiguous) [[unlikely]]
      return false;
    *next++ = t->data;
  }
  for (const Single::Output& out : single_.outputs) {
    auto fresh = Tensor::empty(out.meta);
    if (!fresh.ok()) [[unlikely]] {
      *status = fresh.take_error();
      return true;
    }
    outputs[out.index] = fresh.take();
    *next++ = outputs[out.index].data();
  }
  return launch(kernel, pointers, static_cast<size_t>(next - pointers));
}

Status PlanRunner::run_steps(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs,
                             PendingRun* pending) {
  MSJIT_TRY(Workspace * workspace, pool_.take());
  TensorImpl** slots = workspace->slots.data();
  std::copy(inputs.begin(), inputs.end(), slots);
  Status status = run_range(0, plan_->commit, slots, plan_->writes_early ? pending : nullptr);
  const bool waits =
      status.ok() && pending && plan_->commit < plan_->steps.size() && can_commit(slots);
  if (status.ok() && !waits) status = run_range(plan_->commit, plan_->steps.size(), slots);
  if (status.ok()) status = collect(slots, outputs, waits);
  if (status.ok() && waits) {
    hold_reads(slots, pending);
    pending->runner_ = this;
    pending->workspace_ = workspace;
  } else {
    end_run(workspace);
  }
  return status;
}

Status PlanRunner::run_range(size_t begin, size_t end, TensorImpl** slots,
                             PendingRun* writing) const {
  const bool profiled = profile::on();
  for (size_t i = begin; i < end; ++i) {
    if (writing && plan_->steps[i]->writes_over && can_write_over(i, slots)) {
      writing->written_ = true;
      MSJIT_OK(write_over(i, slots));
    } else {
      MSJIT_OK(profiled ? run_profiled(i, slots) : run_step(i, slots));
    }
  }
  return {};
}

void PlanRunner::end_run(Workspace* workspace) {
  release_owned(workspace->slots.data());
  pool_.give_back(workspace);
}

Status PlanRunner::run_step(size_t index, TensorImpl** slots) const {
  const PlanStep& step = plan_->steps[index];
  const bool reused = step.reuses >= 0 && reuse_input(step, slots);
  for (size_t i = 0; i < step.fresh.size() && !reused; ++i) {
    const int32_t s = step.fresh[i];
    MSJIT_TRY(Tensor fresh, Tensor::empty(plan_->slots[s].meta));
    slots[s] = fresh.release();
  }
  if (step.takes >= 0 && plan_->slots[step.takes].kind == PlanSlotKind::kFresh)
    slots[step.ops[0].out[0]] = Tensor::share(slots[step.takes]).release();
  if (step.kind == PlanStepKind::kControl) return run_controlled(step, controls_[index], slots);
  if (step.kind == PlanStepKind::kWeight) return cast_weight(step.ops[0], slots);
  if (step.kind != PlanStepKind::kFused) return run_op(step.ops[0], slots);
  if (run_fused(*units_[index], slots)) [[likely]]
    return {};
  return run_one_by_one(step, slots);
}

// Makes the result of the step the input itself if the caller alone holds that.
bool PlanRunner::reuse_input(const PlanStep& step, TensorImpl** slots) {
  for (int32_t s : step.dead_views) drop(slots[s]);
  TensorImpl* const input = slots[step.reuses];
  const bool unshared = input->refs.load(std::memory_order_acquire) == 1 && input->storage.unique();
  if (!unshared || !input->contiguous || input->storage->read_only) return false;
  slots[step.ops[0].out[0]] = Tensor::share(input).release();
  return true;
}

Status PlanRunner::run_profiled(size_t index, TensorImpl** slots) const {
  const profile::Span span(profile::Kind::kKernel, work_of_step(*plan_, plan_->steps[index]));
  return run_step(index, slots);
}

bool PlanRunner::is_as_planned(const FusedUnit& unit, TensorImpl* const* slots) const {
  const FusedProgram& program = unit.program();
  if (program.operands.size() > kMaxPointers) return false;
  bool as_planned = true;
  for (int i = 0; i < program.num_inputs; ++i) {
    const TensorImpl* t = slots[program.operands[i].slot];
    as_planned &= unit.is_contiguous(i) ? t->contiguous : t->strides == unit.strides(i);
  }
  return as_planned;
}

bool PlanRunner::run_fused(FusedUnit& unit, TensorImpl** slots) const {
  const FusedProgram& program = unit.program();
  void* pointers[kMaxPointers + 1];
  if (program.operands.size() > kMaxPointers) return false;
  const BoundKernel* kernel = unit.primary();
  for (int i = 0; i < program.num_inputs; ++i) pointers[i] = slots[program.operands[i].slot]->data;
  if (!is_as_planned(unit, slots)) [[unlikely]] {
    InlineVec<TensorImpl*, 16> in;
    for (int i = 0; i < program.num_inputs; ++i) in.push_back(slots[program.operands[i].slot]);
    kernel = unit.find_variant(borrow(std::span<TensorImpl* const>(in.data(), in.size())));
  }
  if (!kernel) return false;
  for (size_t i = program.num_inputs; i < program.operands.size(); ++i)
    pointers[i] = slots[program.operands[i].slot]->data;
  return launch(*kernel, pointers, program.operands.size());
}

Status PlanRunner::run_controlled(const PlanStep& step, const Control& control,
                                  TensorImpl** slots) const {
  const PlanOp& op = step.ops[0];
  std::vector<Tensor> in, out;
  in.reserve(op.in.size());
  for (uint32_t i = 0; i < op.in.size(); ++i) {
    TensorImpl* impl = slots[op.in[i]];
    if (step.copied[i]) {
      MSJIT_TRY(Tensor copy, fresh_copy(impl));
      in.push_back(std::move(copy));
    } else {
      in.push_back(Tensor::share(impl));
    }
  }
  const auto run = [&](int sub, std::span<const Tensor> args, std::vector<Tensor>* results) {
    InlineVec<TensorImpl*, 16> inputs;
    for (const Tensor& t : args) inputs.push_back(t.impl());
    results->resize(step.nested[sub]->outputs.size());
    return control.runners[sub]->run(std::span<TensorImpl* const>(inputs.data(), inputs.size()),
                                     *results);
  };
  MSJIT_OK(run_control(*op.node, in, run, &out));
  for (uint32_t i = 0; i < op.out.size(); ++i) slots[op.out[i]] = out[i].release();
  return {};
}

Status PlanRunner::cast_weight(const PlanOp& op, TensorImpl** slots) const {
  const Meta& meta = plan_->slots[op.out[0]].meta;
  MSJIT_TRY(Tensor made, packed::cast(Tensor::share(slots[op.in[0]]), meta.dtype));
  slots[op.out[0]] = made.release();
  return {};
}

Status PlanRunner::run_one_by_one(const PlanStep& step, TensorImpl** slots) const {
  for (const PlanOp& op : step.ops) {
    for (int32_t s : op.out) {
      if (plan_->slots[s].kind != PlanSlotKind::kTemp) continue;
      MSJIT_TRY(Tensor fresh, temporary(plan_->slots[s]));
      slots[s] = fresh.release();
    }
    MSJIT_OK(run_op(op, slots));
    for (int32_t s : op.release) drop(slots[s]);
  }
  return {};
}

Status PlanRunner::run_op(const PlanOp& op, TensorImpl** slots) const {
  InlineVec<TensorImpl*, 8> in;
  InlineVec<TensorImpl*, 4> out;
  for (int32_t s : op.in) in.push_back(s < 0 ? nullptr : slots[s]);
  for (int32_t s : op.out) out.push_back(slots[s]);
  std::span<Tensor> out_handles(reinterpret_cast<Tensor*>(out.data()), out.size());
  const OpDef& def = *op.node->op;
  const auto in_handles = borrow(std::span<TensorImpl* const>(in.data(), in.size()));
  if (def.has(kElementwise) && plan_->slots[op.out[0]].channels_last)
    return run_channels_last(op, in_handles, out_handles[0]);
  KernelCtx ctx{def, in_handles, out_handles, op.node->attrs};
  Status status = def.host_kernel()(ctx);
  for (uint32_t i = 0; i < out.size(); ++i) slots[op.out[i]] = out[i];
  return status;
}

Status PlanRunner::collect(TensorImpl** slots, std::span<Tensor> outputs, bool waits) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const PlanOutput& from = plan_->outputs[i];
    TensorImpl* slot = slots[from.slot];
    if (from.how == PlanOutput::How::kCopy) {
      MSJIT_TRY(outputs[i], fresh_copy(slot, from.strides));
    } else if (from.how == PlanOutput::How::kAlias) {
      outputs[i] = Tensor::share(slot).detach();
    } else if (from.how == PlanOutput::How::kShare) {
      outputs[i] = Tensor::share(slot);
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const PlanOutput& from = plan_->outputs[i];
    if (from.how != PlanOutput::How::kTake || !slots[from.slot]) continue;
    const int32_t target = plan_->writes_early ? plan_->target_of[from.slot] : -1;
    if (target >= 0 && slots[from.slot] == slots[target]) continue;  // has been written over it
    outputs[i] = waits ? Tensor::share(slots[from.slot])
                       : Tensor::steal(std::exchange(slots[from.slot], nullptr));
  }
  return {};
}

void PlanRunner::release_owned(TensorImpl** slots) const {
  for (int32_t s : owned_) drop(slots[s]);
}

}  // namespace msjit
