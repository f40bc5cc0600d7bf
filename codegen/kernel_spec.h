// KernelSpec: a fused loop nest as plain data, the only thing a code generator sees. No graph, no
// tensors. Invariant: strides are in elements and final (contiguous dims are collapsed, dims of
// size 1 dropped), every dim is at least 1, so equal specs mean equal machine code; the
// process-wide kernel cache relies on it. In an open spec the extents and most strides are
// arguments of the kernel, so that it serves every size.
//
// Dims in `reduced` are folded, the others are kept. For each point of the kept dims the stages run
// one after another, each over all folded points: loads, scalar maths, stores, and folds into its
// reductions. A stage may use what earlier ones have reduced, so a softmax is three of them over
// the same row. The tail runs once behind them.
#pragma once

#include <string>
#include <vector>

#include "kernels/core/op.h"

namespace msjit {

inline constexpr Dim kOpenExtent = -1;  // of an open spec: a dim, or a stride other than 0 and 1

struct KernelOperand {
  DType dtype;
  bool output = false;
  Shape strides;         // one a dim; 0 along broadcast and reduced dims
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

// Nodes use ScalarOp with two conventions of this layer: kInput's `a` is an operand index, or -1 -
// r for the result of reduction r of an earlier stage; kCast to a 16-bit float rounds and keeps the
// value as float32.
struct KernelStage {
  std::vector<ScalarNode> body;
  std::vector<KernelStore> stores;
  std::vector<KernelReduce> reduces;  // numbered on from those of the stages before
};

struct KernelSpec {
  Shape dims;
  uint32_t reduced = 0;                 // bit i: dim i is folded
  std::vector<KernelOperand> operands;  // the order of the kernel's pointers
  std::vector<KernelStage> stages = std::vector<KernelStage>(1);
  std::vector<ScalarNode> tail;
  std::vector<KernelStore> tail_stores;

  // The dim that is shorter at the end of dim 0, the chunks of `uneven_total`; -1: none is.
  int uneven = -1;
  int64_t uneven_total = 0;

  bool open = false;
  bool long_sums = false;  // open: many elements are folded into one

  bool is_reduced(int dim) const { return (reduced >> dim) & 1; }
  bool has_reduces() const { return !stages[0].reduces.empty(); }  // later stages follow from some
  size_t num_nodes() const;
  friend bool operator==(const KernelSpec& a, const KernelSpec& b);
  size_t hash() const;
  std::string str() const;  // one line: dims, operands, node counts
};

// The type a value is computed in: 16-bit floats are computed in float32.
inline DType compute_type(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16 ? DType::kFloat32 : dtype;
}

// The dim a kernel's [begin, end) ranges over: the first one that is not reduced, -1 when all are.
int split_dim(const KernelSpec& spec);

// Sums of so many elements are carried on in double every now and then, as in eager mode.
bool has_long_sums(const KernelSpec& spec);

// The open form of a spec, and the numbers it lacks: extents, then strides operand by operand, then
// the total of an uneven dim.
KernelSpec open_spec(KernelSpec spec, std::vector<int64_t>* sizes);

// An open kernel finds its sizes, as an array of int64, behind the pointers to its operands.
using FusedFn = void (*)(void* const* operands, int64_t begin, int64_t end);

}  // namespace msjit
