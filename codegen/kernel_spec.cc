#include "codegen/kernel_spec.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace msjit {
namespace {

class Hasher {
 public:
  void add(uint64_t value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15ull;
    state_ ^= state_ >> 29;
  }
  void add(const Shape& shape) {
    add(static_cast<uint64_t>(shape.rank()));
    for (Dim d : shape) add(static_cast<uint64_t>(d));
  }
  void add(const std::vector<ScalarNode>& nodes) {
    add(nodes.size());
    for (const ScalarNode& n : nodes) {
      add(static_cast<uint64_t>(n.op) << 8 | static_cast<uint64_t>(n.dtype));
      add(static_cast<uint64_t>(static_cast<uint32_t>(n.a)) << 32 | static_cast<uint32_t>(n.b));
      add(static_cast<uint64_t>(static_cast<uint32_t>(n.c)));
      add(std::bit_cast<uint64_t>(n.imm_float));
      add(static_cast<uint64_t>(n.imm_int));
    }
  }
  void add(const std::vector<KernelStore>& stores) {
    for (const KernelStore& s : stores) add(static_cast<uint64_t>(s.node) << 32 | s.operand);
  }
  size_t take() const { return state_; }

 private:
  uint64_t state_ = 0x243f6a8885a308d3ull;
};

}  // namespace

size_t KernelSpec::num_nodes() const {
  size_t count = tail.size();
  for (const KernelStage& stage : stages) count += stage.body.size();
  return count;
}

size_t KernelSpec::hash() const {
  Hasher h;
  h.add(dims);
  h.add(static_cast<uint64_t>(reduced) << 2 | open << 1 | long_sums);
  h.add(static_cast<uint64_t>(uneven_total) << 8 | static_cast<uint8_t>(uneven));
  for (const KernelOperand& operand : operands) {
    h.add(static_cast<uint64_t>(operand.dtype) << 2 | operand.streams << 1 | operand.output);
    h.add(operand.strides);
  }
  for (const KernelStage& stage : stages) {
    h.add(stage.body);
    h.add(stage.stores);
    for (const KernelReduce& r : stage.reduces) h.add(static_cast<uint64_t>(r.kind) << 32 | r.node);
  }
  h.add(tail);
  h.add(tail_stores);
  return h.take();
}

std::string KernelSpec::str() const {
  std::string text = "[";
  for (int d = 0; d < dims.rank(); ++d)
    text += fmt::format("{}{}{}", d ? ", " : "", open ? "any" : std::to_string(dims[d]),
                        is_reduced(d) ? "~" : "");
  text += "]";
  for (const KernelOperand& operand : operands)
    text += fmt::format(" {}{}{}{}", operand.output ? "-> " : "", operand.streams ? "stream " : "",
                        dtype_name(operand.dtype), operand.strides.str());
  if (stages.size() > 1) text += fmt::format(", {} stages", stages.size());
  return text + fmt::format(", {} scalar ops", num_nodes());
}

bool has_long_sums(const KernelSpec& spec) {
  // Elements reduced to one value: by the lanes of many vectors along a row, or by one lane down a
  // column.
  constexpr int64_t kLongRow = 8192, kLongColumn = 64;
  if (spec.open) return spec.long_sums;
  int64_t folded = 1;
  for (int d = 0; d < spec.dims.rank(); ++d)
    if (spec.is_reduced(d)) folded *= spec.dims[d];
  const int inner = spec.dims.rank() - 1;
  return folded >= (inner >= 0 && !spec.is_reduced(inner) ? kLongColumn : kLongRow);
}

KernelSpec open_spec(KernelSpec spec, std::vector<int64_t>* sizes) {
  const int inner = spec.dims.rank() - 1;
  spec.long_sums = spec.has_reduces() && has_long_sums(spec);
  spec.open = true;
  sizes->assign(spec.dims.begin(), spec.dims.end());
  for (Dim& d : spec.dims) d = kOpenExtent;
  for (KernelOperand& operand : spec.operands)
    for (int d = 0; d <= inner; ++d) {
      Dim& stride = operand.strides[d];
      sizes->push_back(stride);
      if (stride != 0 && (stride != 1 || d != inner)) stride = kOpenExtent;
    }
  if (spec.uneven >= 0) sizes->push_back(std::exchange(spec.uneven_total, kOpenExtent));
  return spec;
}

int split_dim(const KernelSpec& spec) {
  for (int d = 0; d < spec.dims.rank(); ++d)
    if (!spec.is_reduced(d)) return d;
  return -1;
}

}  // namespace msjit
