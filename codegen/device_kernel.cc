#include "codegen/device_kernel.h"

#include <algorithm>

namespace msjit {
namespace {

constexpr int64_t kVectorBytes = 16;   // of the widest access of a thread
constexpr int64_t kRowOfBlock = 1024;  // points of a row that occupy a whole block
constexpr size_t kLongBody = 96;  // several lanes of a longer body would not fit into registers

// The widest operand fills an access of a thread; narrower ones use part of theirs.
int vector_lanes(const KernelSpec& spec) {
  const int inner = spec.dims.rank() - 1;
  int64_t widest = 0;
  for (const KernelOperand& operand : spec.operands)
    if (operand.strides[inner] == 1) widest = std::max(widest, item_size(operand.dtype));
  if (widest == 0) return 1;
  const auto lanes = static_cast<int>(std::min<int64_t>(kVectorBytes / widest, 8));
  return spec.num_nodes() > kLongBody ? std::min(lanes, 2) : lanes;
}

// An open kernel only knows whether its sums are long.
bool has_long_rows(const KernelSpec& spec) {
  if (spec.open) return spec.long_sums;
  int64_t folded = 1;
  for (int d = 0; d < spec.dims.rank(); ++d)
    if (spec.is_reduced(d)) folded *= spec.dims[d];
  return folded >= kRowOfBlock;
}

}  // namespace

DeviceShape device_shape(const KernelSpec& spec) {
  const int inner = spec.dims.rank() - 1;
  DeviceShape shape;
  if (inner < 0) return shape;
  if (spec.has_reduces() && !spec.is_reduced(inner)) {
    shape.kind = DeviceShape::kColumns;
    shape.folders = kBlockThreads / kWarpThreads;
    return shape;
  }
  shape.lanes = vector_lanes(spec);
  if (!spec.has_reduces()) return shape;
  shape.kind = DeviceShape::kRows;
  shape.folders = has_long_rows(spec) ? kBlockThreads : kWarpThreads;
  return shape;
}

int64_t device_blocks(const KernelSpec& spec, std::span<const Dim> extents) {
  const DeviceShape shape = device_shape(spec);
  int64_t values = 1;
  for (int d = 0; d < spec.dims.rank(); ++d)
    if (!spec.is_reduced(d)) values *= extents[static_cast<size_t>(d)];
  const int64_t each = shape.values_per_block();
  return std::max<int64_t>((values + each - 1) / each, 1);
}

ChunkLimits device_limits(const KernelSpec& spec, int64_t processors) {
  constexpr int64_t kWork = 8192;  // elements: a few vectors for each thread of a block
  const int64_t all = kBlocksPerProcessor * processors;
  const int64_t parts = device_blocks(spec, std::span<const Dim>(spec.dims));
  return {parts, all / 2, std::max<int64_t>(all / parts, 1), kWork};
}

}  // namespace msjit
