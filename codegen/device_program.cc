#include "codegen/device_program.h"

#include <algorithm>

#include "codegen/chunks.h"
#include "codegen/fusion.h"
#include "graph/pipeline.h"

namespace msjit {
namespace {

constexpr int64_t kLine = 8;  // elements: partial results start on cache lines of their own

// A block of the allocator, held by the storage that shows it.
struct Held {
  DeviceAllocator* memory;
  void* block;
};

void release(void* context) {
  const std::unique_ptr<Held> held(static_cast<Held*>(context));
  const Status status = held->memory->free(held->block);
  (void)status;  // a destructor has nobody to tell
}

bool is_empty(const Tensor& t) { return t.numel() == 0; }

// Elements from the first to the last that a tensor shows.
int64_t reach(const Tensor& t) {
  int64_t last = 0;
  for (int d = 0; d < t.shape().rank(); ++d) last += (t.shape()[d] - 1) * t.strides()[d];
  return last + 1;
}

}  // namespace

Result<const DeviceKernel*> DeviceKernels::get(const KernelSpec& spec) {
  std::lock_guard lock(mutex_);
  auto& same_hash = all_[spec.hash()];
  for (const auto& kernel : same_hash)
    if (kernel->spec() == spec) return static_cast<const DeviceKernel*>(kernel.get());
  MSJIT_TRY(auto made, DeviceKernel::compile(api_, spec));
  same_hash.push_back(std::move(made));
  return static_cast<const DeviceKernel*>(same_hash.back().get());
}

Result<std::unique_ptr<DeviceProgram>> DeviceProgram::compile(const Graph& graph, bool open_sizes,
                                                              DeviceApi& api,
                                                              DeviceAllocator& memory,
                                                              DeviceKernels& kernels) {
  auto optimised = std::make_shared<Graph>(graph);
  MSJIT_OK(run_pipeline(*optimised, has_fused_kernels()));
  std::unique_ptr<DeviceProgram> program(new DeviceProgram(api, memory, kernels));
  MSJIT_TRY(program->plan_, make_plan(std::move(optimised), graph, false, open_sizes));
  MSJIT_OK(program->check_steps());
  program->find_last_uses();
  return program;
}

Status DeviceProgram::check_steps() const {
  for (const Step& step : plan_->steps)
    if (step.kind != StepKind::kFused && step.kind != StepKind::kView)
      return not_implemented_error("[{}] kernel of a device, got none, expected a fused operator",
                                   step.ops[0].node->op->name);
  return {};
}

void DeviceProgram::find_last_uses() {
  std::vector<int64_t> last(plan_->slots.size(), -1);
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    const Step& step = plan_->steps[s];
    const auto use = [&](int32_t slot) {
      if (slot >= 0) last[static_cast<size_t>(slot)] = static_cast<int64_t>(s);
    };
    if (step.fused)
      for (const FusedProgram::Operand& operand : step.fused->operands) use(operand.slot);
    else
      for (const PlanOp& op : step.ops) std::ranges::for_each(op.in, use);
  }
  for (const PlanOutput& output : plan_->outputs) last[static_cast<size_t>(output.slot)] = -1;
  dead_after_.resize(plan_->steps.size());
  for (size_t slot = 0; slot < last.size(); ++slot)
    if (last[slot] >= 0)
      dead_after_[static_cast<size_t>(last[slot])].push_back(static_cast<int32_t>(slot));
}

// ---- a run ----
Status DeviceProgram::run(std::span<const Tensor> inputs, std::span<Tensor> outputs,
                          DeviceStream stream) {
  stream_ = stream;
  slots_.assign(plan_->slots.size(), Tensor());
  Status status = run_steps(inputs, outputs);
  // Whatever went wrong: host memory that queued copies read or write must outlive them.
  Status synced = api_.sync(stream);
  slots_.clear();
  staging_.clear();
  return status.ok() ? std::move(synced) : std::move(status);
}

Status DeviceProgram::run_steps(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
  for (size_t i = 0; i < inputs.size(); ++i) MSJIT_OK(load(static_cast<int32_t>(i), inputs[i]));
  for (size_t i = 0; i < plan_->slots.size(); ++i)
    if (plan_->slots[i].kind == SlotKind::kConstant)
      MSJIT_OK(load(static_cast<int32_t>(i), plan_->slots[i].constant));
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    const Step& step = plan_->steps[s];
    MSJIT_OK(step.fused ? run_fused(*step.fused) : run_view(step.ops[0]));
    for (int32_t slot : dead_after_[s]) slots_[static_cast<size_t>(slot)] = Tensor();
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto slot = static_cast<size_t>(plan_->outputs[i].slot);
    MSJIT_TRY(outputs[i], to_host(slots_[slot], plan_->slots[slot].meta));
  }
  // Strided results are put in order once they are here.
  MSJIT_OK(api_.sync(stream_));
  for (Tensor& output : outputs) {
    MSJIT_TRY(output, output.to_contiguous());
  }
  return {};
}

Result<Storage> DeviceProgram::allocate(int64_t bytes) {
  const auto size = static_cast<size_t>(bytes);
  MSJIT_TRY(void* const block, memory_.allocate(size, stream_));
  Storage storage = Storage::foreign(block, size, release, new Held{&memory_, block});
  storage->device = {DeviceType::kCuda, 0};
  return storage;
}

Status DeviceProgram::load(int32_t slot, const Tensor& host) {
  MSJIT_TRY(Tensor whole, host.to_contiguous());
  const int64_t bytes = whole.numel() * item_size(whole.dtype());
  MSJIT_TRY(Storage storage, allocate(bytes));
  if (bytes)
    MSJIT_OK(api_.copy(CopyKind::kToDevice, storage->data, whole.data(), static_cast<size_t>(bytes),
                       stream_));
  slots_[static_cast<size_t>(slot)] = Tensor::from_storage(
      std::move(storage), whole.dtype(), whole.shape(), contiguous_strides(whole.shape()), 0);
  staging_.push_back(std::move(whole));
  return {};
}

Status DeviceProgram::run_fused(const FusedProgram& program) {
  std::vector<Shape> strides;
  std::vector<void*> operands;
  for (size_t i = 0; i < program.operands.size(); ++i) {
    const auto slot = static_cast<size_t>(program.operands[i].slot);
    if (static_cast<int>(i) >= program.num_inputs) {
      const Slot& planned = plan_->slots[slot];
      const Meta& meta = planned.meta;
      MSJIT_TRY(Storage storage, allocate(meta.shape.numel() * item_size(meta.dtype)));
      slots_[slot] =
          Tensor::from_storage(std::move(storage), meta.dtype, meta.shape, planned.strides, 0);
    } else {
      strides.push_back(slots_[slot].strides());
    }
    operands.push_back(slots_[slot].data());
  }
  KernelSpec spec = specialize(program, strides);
  if (auto cut = cut_into_chunks(spec))
    return run_chunks(cut->parts, cut->finish, std::move(operands), spec.stages[0].reduces.size(),
                      cut->num_partials);
  return launch(std::move(spec), operands);
}

// Partial results lie in an array a reduction, behind the operands of both kernels.
Status DeviceProgram::run_chunks(const KernelSpec& parts, const KernelSpec& finish,
                                 std::vector<void*> operands, size_t reduces, int64_t partials) {
  const int64_t array = (partials + kLine - 1) / kLine * kLine * sizeof(double);
  MSJIT_TRY(const Storage scratch, allocate(static_cast<int64_t>(reduces) * array));
  for (size_t r = 0; r < reduces; ++r)
    operands.push_back(static_cast<char*>(scratch->data) + static_cast<int64_t>(r) * array);
  MSJIT_OK(launch(parts, operands));
  return launch(finish, operands);
}

Status DeviceProgram::launch(KernelSpec spec, std::span<void* const> operands) {
  std::vector<int64_t> sizes;
  if (plan_->open_sizes) spec = open_spec(std::move(spec), &sizes);
  MSJIT_TRY(const DeviceKernel* const kernel, kernels_.get(spec));
  return kernel->launch(operands, sizes, stream_);
}

// A view's kernel makes a tensor over the same storage and follows no address of its first input.
Status DeviceProgram::run_view(const PlanOp& op) {
  InlineVec<Tensor, 4> in, out;
  for (uint32_t i = 0; i < op.in.size(); ++i) {
    const int32_t slot = op.in[i];
    const bool on_host = i > 0 && slot >= 0 && plan_->slots[slot].kind == SlotKind::kConstant;
    in.push_back(slot < 0  ? Tensor()
                 : on_host ? plan_->slots[slot].constant
                           : slots_[static_cast<size_t>(slot)]);
  }
  out.resize(op.out.size());
  KernelCtx ctx{*op.node->op, in, {out.data(), out.size()}, op.node->attrs};
  MSJIT_OK(op.node->op->kernel[static_cast<int>(DeviceType::kCpu)](ctx));
  for (uint32_t i = 0; i < op.out.size(); ++i)
    slots_[static_cast<size_t>(op.out[i])] = std::move(out[i]);
  return {};
}

// All from the first element to the last, in the layout it has there.
Result<Tensor> DeviceProgram::to_host(const Tensor& from, const Meta& meta) {
  MSJIT_TRY(Tensor plain, Tensor::empty(meta));
  if (is_empty(from)) return plain;
  const bool in_order = from.contiguous();
  Tensor buffer = plain;
  if (!in_order) {
    MSJIT_TRY(buffer, Tensor::empty(meta.dtype, {reach(from)}));
  }
  MSJIT_OK(api_.copy(CopyKind::kToHost, buffer.data(), from.data(),
                     static_cast<size_t>(reach(from) * item_size(meta.dtype)), stream_));
  staging_.push_back(buffer);
  return in_order ? buffer : Tensor::view(buffer, from.shape(), from.strides(), 0);
}

}  // namespace msjit
