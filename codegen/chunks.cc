#include "codegen/chunks.h"

#include <algorithm>

#include "codegen/kernel_cache.h"

namespace msjit {
namespace {

constexpr int64_t kEnoughParts = 16;  // so many parts give the threads enough work
constexpr int64_t kMaxChunks = 64;
constexpr int64_t kMinFolded = 64;  // points that a chunk reduces to one value
// A chunk along the innermost dim has whole vectors, and whole blocks of the sums of eager mode.
constexpr int64_t kInnerAlign = 4096;

// Where a reduction is cut.
struct Cut {
  int dim;
  int64_t block;  // extent of a chunk along it
};

int64_t kept_points(const KernelSpec& spec) {
  int64_t kept = 1;
  for (int d = 0; d < spec.dims.rank(); ++d)
    if (!spec.is_reduced(d)) kept *= spec.dims[d];
  return kept;
}

// The outermost reduced dim that is long enough, else the longest.
int longest_folded(const KernelSpec& spec, int64_t enough) {
  int longest = -1;
  for (int d = 0; d < spec.dims.rank(); ++d) {
    if (!spec.is_reduced(d)) continue;
    if (spec.dims[d] >= enough) return d;
    if (longest < 0 || spec.dims[d] > spec.dims[longest]) longest = d;
  }
  return longest;
}

std::optional<Cut> find_cut(const KernelSpec& spec, const ChunkLimits& limits) {
  if (!spec.has_reduces() || spec.stages.size() != 1 || spec.dims.rank() == kMaxRank) return {};
  if (limits.parts >= limits.enough) return {};
  const int64_t points = spec.dims.numel(), work = limits.work;
  if (points < 4 * work) return {};
  const int dim = longest_folded(spec, limits.most);
  const int64_t along = spec.dims[dim], others = points / along;
  const int64_t folded = points / (kept_points(spec) * along);
  int64_t block =
      std::max((points / limits.most + others - 1) / others, (work + others - 1) / others);
  block = std::max(block, kMinFolded / folded);
  if (dim == spec.dims.rank() - 1) block = (block + kInnerAlign - 1) / kInnerAlign * kInnerAlign;
  if (block >= along) return {};
  return Cut{dim, block};
}

// The dtype of a chunk's partial results: sums and products of float32 are passed on in double.
DType partial_dtype(const KernelSpec& spec, const KernelReduce& reduce) {
  const DType dtype = compute_type(spec.stages[0].body[static_cast<size_t>(reduce.node)].dtype);
  const bool widens = reduce.kind == ReduceKind::kSum || reduce.kind == ReduceKind::kProd;
  return dtype == DType::kFloat32 && widens ? DType::kFloat64 : dtype;
}

ScalarNode input_node(DType dtype, int32_t index) { return {ScalarOp::kInput, dtype, index}; }

// Strides of the partial results: chunk by chunk, the kept dims within each.
Shape partial_strides(const KernelSpec& spec) {
  Shape strides = spec.dims;
  int64_t next = 1;
  for (int d = spec.dims.rank() - 1; d >= 0; --d) {
    strides[d] = spec.is_reduced(d) ? 0 : next;
    if (!spec.is_reduced(d)) next *= spec.dims[d];
  }
  return strides;
}

Shape with_first(Dim first, const Shape& rest) {
  Shape all;
  all.push_back(first);
  for (Dim d : rest) all.push_back(d);
  return all;
}

KernelSpec parts_of(const KernelSpec& spec, const Cut& cut, int64_t chunks, int64_t kept) {
  KernelSpec parts = spec;
  const auto count = static_cast<int32_t>(spec.operands.size());
  parts.dims = with_first(chunks, spec.dims);
  parts.dims[cut.dim + 1] = cut.block;
  parts.reduced = spec.reduced << 1;
  parts.uneven = cut.dim + 1;
  parts.uneven_total = spec.dims[cut.dim];
  for (KernelOperand& operand : parts.operands)
    operand.strides = with_first(operand.strides[cut.dim] * cut.block, operand.strides);
  parts.tail.clear();
  parts.tail_stores.clear();
  for (const KernelReduce& reduce : spec.stages[0].reduces) {
    const auto r = static_cast<int32_t>(parts.tail.size());
    const DType dtype = partial_dtype(spec, reduce);
    parts.operands.push_back({dtype, true, with_first(kept, partial_strides(spec))});
    parts.tail.push_back(input_node(dtype, -1 - r));
    parts.tail_stores.push_back({r, count + r});
  }
  return parts;
}

KernelSpec finish_of(const KernelSpec& spec, int64_t chunks, int64_t kept) {
  const auto count = static_cast<int32_t>(spec.operands.size());
  const auto kept_dims = [&](Dim first, const Shape& of) {
    Shape dims;
    dims.push_back(first);
    for (int d = 0; d < of.rank(); ++d)
      if (!spec.is_reduced(d)) dims.push_back(of[d]);
    return dims;
  };
  KernelSpec finish;
  finish.dims = kept_dims(chunks, spec.dims);
  finish.reduced = 1;
  for (const KernelOperand& operand : spec.operands)
    finish.operands.push_back({operand.dtype, operand.output, kept_dims(0, operand.strides)});
  KernelStage& stage = finish.stages[0];
  for (const KernelReduce& reduce : spec.stages[0].reduces) {
    const auto r = static_cast<int32_t>(stage.reduces.size());
    const DType dtype = partial_dtype(spec, reduce);
    finish.operands.push_back({dtype, false, kept_dims(kept, partial_strides(spec))});
    stage.body.push_back(input_node(dtype, count + r));
    stage.reduces.push_back({reduce.kind, r});
  }
  finish.tail = spec.tail;
  finish.tail_stores = spec.tail_stores;
  return finish;
}

// An operand that a kernel does not use must not make its spec differ from an equal kernel's.
void blank_unused(KernelSpec* spec) {
  std::vector<char> used(spec->operands.size(), 0);
  const auto mark = [&](const std::vector<ScalarNode>& nodes, const std::vector<KernelStore>& to) {
    for (const ScalarNode& node : nodes)
      if (node.op == ScalarOp::kInput && node.a >= 0) used[static_cast<size_t>(node.a)] = 1;
    for (const KernelStore& store : to) used[static_cast<size_t>(store.operand)] = 1;
  };
  for (const KernelStage& stage : spec->stages) mark(stage.body, stage.stores);
  mark(spec->tail, spec->tail_stores);
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i]) continue;
    KernelOperand& operand = spec->operands[i];
    for (Dim& stride : operand.strides) stride = 0;
    operand = {DType::kBool, false, operand.strides};
  }
}

}  // namespace

ChunkLimits host_limits(const KernelSpec& spec) {
  const LaunchRange whole = launch_range(spec);
  return {whole.extent / whole.align, kEnoughParts, kMaxChunks, elements_per_thread(spec)};
}

std::optional<ChunkedSpec> cut_into_chunks(const KernelSpec& spec, const ChunkLimits& limits) {
  const std::optional<Cut> cut = find_cut(spec, limits);
  if (!cut) return {};
  const int64_t chunks = (spec.dims[cut->dim] + cut->block - 1) / cut->block;
  const int64_t kept = kept_points(spec);
  ChunkedSpec cut_spec{parts_of(spec, *cut, chunks, kept), finish_of(spec, chunks, kept),
                       chunks * kept};
  blank_unused(&cut_spec.parts);
  blank_unused(&cut_spec.finish);
  return cut_spec;
}

}  // namespace msjit
