// IndexPlan: what `x[...]` means for a tensor of a given shape. It is computed from the index items
// alone: integers, slices, None, Ellipsis, and placeholders for index tensors. The rules are
// NumPy's. Eager indexing and capture share it; it needs neither data nor Python.
#pragma once

#include "kernels/core/value.h"

namespace msjit {

struct IndexItem {
  enum class Kind : uint8_t { kInt, kSlice, kNewAxis, kEllipsis, kTensor };
  Kind kind = Kind::kInt;
  int64_t start = 0, stop = 0, step = 1;  // kInt: start alone
  bool has_start = false, has_stop = false;
  int tensor =
      -1;  // kTensor: number among the index tensors; an integer tensor, taking one dimension
};

struct IndexPlan {
  // Basic part: slice every dimension, drop those in `squeeze`, then insert `new_axes` (in
  // increasing order).
  IntList begin, end, step;
  bool slices = false;    // some dimension is not taken whole
  bool reversed = false;  // some dimension backwards: a copy, not a view
  IntList squeeze;
  IntList new_axes;
  Shape shape;  // after the basic part
  // Advanced part: the index tensor of each dimension of `shape`, -1 where it stays.
  InlineVec<int, 8> tensor_of_dim;
  bool advanced = false;
  int result_axis =
      0;  // where the dimensions of the index tensors go among the dimensions that stay
};

// IndexError for an integer out of range or too many items, ValueError for a zero step or too many
// dimensions.
Result<IndexPlan> plan_index(const Shape& shape, std::span<const IndexItem> items);
// The basic part as ops in the sink of `x`.
Val apply_basic_index(const Val& x, const IndexPlan& plan);

}  // namespace msjit
