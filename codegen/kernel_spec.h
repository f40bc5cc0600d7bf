// KernelSpec: a fused loop nest as plain data. It is all that a code generator sees: no graph, no
// tensors. Strides are in elements and final: contiguous dims are merged into one, dims of size 1
// are dropped, every dim is at least 1. So equal specs mean equal machine code, which the
// process-wide kernel cache relies on. In an open spec the extents and most strides are arguments
// of the kernel, so one kernel serves all sizes.
//
// The dims in `reduced` are reduced, the others are kept. For each point of the kept dims the
// stages run one after another. Each stage runs over all reduced points: loads, scalar maths,
// stores, and reductions. A stage may use the results of earlier stages' reductions, so a softmax
// has three stages over one row (maximum, sum, quotient). The tail runs once after the stages.
#pragma once

#include <string>
#include <vector>

#include "kernels/core/op.h"

namespace msjit {

inline constexpr Dim kOpenExtent = -1;  // of an open spec: a dim, or a stride other than 0 and 1

struct KernelOperand {
  DType dtype;
  bool output = false;
  Shape strides;         // one per dim; 0 along broadcast and reduced dims
  bool streams = false;  // an output that is written past the caches; one contiguous dim
  friend bool operator==(const KernelOperand&, const KernelOperand&) = default;
};

struct KernelStore {
  int32_t node;  // in the body or the tail
  int32_t operand;
  friend bool operator==(const KernelStore&, const KernelStore&) = default;
};

struct KernelReduce {
  ReduceKind kind;
  int32_t node;  // in the body; its dtype is the accumulator's
  friend bool operator==(const KernelReduce&, const KernelReduce&) = default;
};

// The nodes are ScalarNodes with two conventions of this layer. kInput's `a` is an operand index,
// or -1 - r for the result of reduction r of an earlier stage. kCast to a 16-bit float rounds but
// keeps the value as a float32.
struct KernelStage {
  std::vector<ScalarNode> body;
  std::vector<KernelStore> stores;
  std::vector<KernelReduce> reduces;  // numbered on from the reductions of earlier stages
  friend bool operator==(const KernelStage&, const KernelStage&) = default;
};

struct KernelSpec {
  Shape dims;
  uint32_t reduced = 0;                 // bit i: dim i is reduced
  std::vector<KernelOperand> operands;  // the order of the kernel's pointers
  std::vector<KernelStage> stages = std::vector<KernelStage>(1);
  std::vector<ScalarNode> tail;
  std::vector<KernelStore> tail_stores;

  // The dim that is shorter in the last chunk, and its extent over all chunks. Dim 0 then counts
  // the chunks. -1: there is no such dim.
  int uneven = -1;
  int64_t uneven_total = 0;

  bool open = false;
  bool long_sums = false;  // of an open spec: many elements are reduced to one

  bool is_reduced(int dim) const { return (reduced >> dim) & 1; }
  bool has_reduces() const { return !stages[0].reduces.empty(); }  // later stages follow from some
  size_t num_nodes() const;
  friend bool operator==(const KernelSpec&, const KernelSpec&) = default;
  size_t hash() const;
  std::string str() const;  // one line: dims, operands, node counts
};

// The type a value is computed in: 16-bit floats are computed in float32.
inline DType compute_type(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16 ? DType::kFloat32 : dtype;
}

// The dim a kernel's [begin, end) ranges over: the first one that is not reduced, -1 when all are.
int split_dim(const KernelSpec& spec);

// Whether sums have so many elements that they are added up in double every now and then, as in
// eager mode.
bool has_long_sums(const KernelSpec& spec);

// The open form of a spec. `sizes` receives what it no longer holds: the extents, then the strides
// operand by operand, then the total of an uneven dim.
KernelSpec open_spec(KernelSpec spec, std::vector<int64_t>* sizes);

// An open kernel finds a pointer to its sizes (int64) behind the pointers to its operands.
using FusedFn = void (*)(void* const* operands, int64_t begin, int64_t end);

}  // namespace msjit
