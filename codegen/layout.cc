// Static layouts: the strides of every slot when the graph's inputs are contiguous. The strides of
// views are found by running the view kernels on address space without memory behind it. So no view
// op needs a second description here.
#include <sys/mman.h>

#include <algorithm>

#include "codegen/plan.h"
#include "graph/control.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

// Address space that reads as zeros and costs no memory until written.
class Blank {
 public:
  explicit Blank(size_t bytes) : bytes_(std::max<size_t>(bytes, 4096)) {
    data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Blank() {
    if (ok()) munmap(data_, bytes_);
  }
  Blank(const Blank&) = delete;
  bool ok() const { return data_ != MAP_FAILED; }
  Tensor tensor(const PlanSlot& slot) const {
    return Tensor::from_storage(Storage::foreign(
                                    data_, bytes_, [](void*) {}, nullptr),
                                slot.meta.dtype, slot.meta.shape, slot.strides, 0);
  }

 private:
  size_t bytes_;
  void* data_;
};

}  // namespace

namespace {

// The views of a chain, made of a root with memory of its own. An input of a view besides the
// tensor it shows is a position.
Status lay_out(const Graph& graph, ValueId id, Tensor* out) {
  const ValueId from = viewed(graph, id);
  const Node& node = graph.producer(id);
  if (from < 0) {
    MSJIT_TRY(*out, Tensor::empty(graph.meta(id).dtype, graph.meta(id).shape));
    return {};
  }
  InlineVec<Tensor, 4> in, views;
  in.emplace_back();
  MSJIT_OK(lay_out(graph, from, &in[0]));
  while (in.size() < node.inputs.size()) in.push_back(Tensor::scalar<int64_t>(0));
  views.resize(static_cast<uint32_t>(node.num_outputs));
  KernelCtx ctx{*node.op, in, {views.data(), views.size()}, node.attrs};
  MSJIT_OK(node.op->host_kernel()(ctx));
  *out = views[static_cast<uint32_t>(id - node.first_output)];
  return {};
}

}  // namespace

Result<Shape> eager_strides(const Graph& graph, ValueId id) {
  constexpr int64_t kMostElements = int64_t{1} << 26;  // more memory is not asked for just for this
  const ValueId owner = storage_root(graph, id);
  const Node& root = graph.producer(owner);
  if (owner == id || root.kind == NodeKind::kInput || root.is_control() ||
      graph.meta(id).shape.numel() == 0 || graph.meta(owner).shape.numel() > kMostElements)
    return Shape();
  Tensor laid_out;
  MSJIT_OK(lay_out(graph, id, &laid_out));
  return laid_out.contiguous() ? Shape() : laid_out.strides();
}

Status assign_layouts(Plan* plan) {
  size_t bytes = 0;
  for (PlanSlot& slot : plan->slots) {
    slot.strides = slot.kind == PlanSlotKind::kConstant ? slot.constant.strides()
                   : slot.channels_last ? layout::channels_last_strides(slot.meta.shape)
                                        : contiguous_strides(slot.meta.shape);
    bytes = std::max(bytes, static_cast<size_t>(slot.bytes));
  }
  bool has_views = std::any_of(plan->steps.begin(), plan->steps.end(),
                               [](const PlanStep& s) { return s.kind == PlanStepKind::kView; });
  if (!has_views) return {};
  Blank blank(bytes * 2);  // with strides a base may extend beyond its elements
  if (!blank.ok()) return memory_error("[plan] address space for {} bytes", bytes);
  for (const PlanStep& step : plan->steps) {
    if (step.kind != PlanStepKind::kView) continue;
    const PlanOp& op = step.ops[0];
    InlineVec<Tensor, 4> in;
    for (int32_t s : op.in) {
      if (s < 0)
        in.emplace_back();
      else if (plan->slots[s].kind == PlanSlotKind::kConstant)
        in.push_back(plan->slots[s].constant);
      else
        in.push_back(blank.tensor(plan->slots[s]));
    }
    InlineVec<Tensor, 4> out;
    out.resize(op.out.size());
    KernelCtx ctx{*op.node->op, in, {out.data(), out.size()}, op.node->attrs};
    MSJIT_OK(op.node->op->host_kernel()(ctx));
    for (uint32_t i = 0; i < op.out.size(); ++i) plan->slots[op.out[i]].strides = out[i].strides();
  }
  return {};
}

}  // namespace msjit
