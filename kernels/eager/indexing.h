// Eager `x[...]` and `x[...] = v`. An untracked tensor is read by making a view and written in
// place. A tracked one goes through recorded ops; a write then gives a new tensor that replaces it.
#pragma once

#include "kernels/core/index_plan.h"

namespace msjit {

// `indices`: integer tensors the kTensor items refer to. Values are checked against the dimension
// they index.
Result<Tensor> get_item(const Tensor& x, std::span<const IndexItem> items,
                        std::span<const Tensor> indices);

// Writes `value`, broadcast and converted to the dtype of `x`. Returns a null handle when it was
// written in place; otherwise the tensor that replaces `x`, which is untouched. `shares_tracked`: a
// tensor that shares the memory of `x` is tracked, so the memory must not change.
Result<Tensor> set_item(const Tensor& x, std::span<const IndexItem> items,
                        std::span<const Tensor> indices, const Tensor& value,
                        bool shares_tracked = false);

// The positions of the true elements of a bool tensor: one int64 tensor per dimension.
Result<std::vector<Tensor>> mask_positions(const Tensor& mask);

}  // namespace msjit
