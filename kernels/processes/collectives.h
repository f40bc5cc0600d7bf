// Collective calls on the memory of tensors. MPI reads and writes it directly; contiguous tensors
// are not copied. The calls block, so the caller must release locks that others need. All members
// of a group must make matching calls. `agree` checks that before; the other functions assume it.
#pragma once

#include "kernels/core/tensor.h"
#include "kernels/processes/groups.h"

namespace msjit {

enum class Reduction : uint8_t { kSum, kMax, kMin, kProd };

// Whether all members passed the same number.
Result<bool> agree(int group, int64_t value);
Status barrier(int group);
// `from` and `to` may be one tensor. TypeError for dtypes without arithmetic in MPI: bool, float16,
// bfloat16, and complex numbers for max and min.
Status all_reduce(int group, const Tensor& from, const Tensor& to, Reduction op);
// `to` is only used on the root.
Status reduce(int group, const Tensor& from, const Tensor& to, Reduction op, int root);
// Each member gets `counts` elements of the reduced tensor.
Status reduce_scatter(int group, const Tensor& from, const Tensor& to, Reduction op,
                      std::span<const int64_t> counts);
// The members' elements one after another; `counts` says how many each has.
Status all_gather(int group, const Tensor& from, const Tensor& to, std::span<const int64_t> counts);
Status broadcast(int group, const Tensor& data, int root);
// `to` is only used on the root.
Status gather(int group, const Tensor& from, const Tensor& to, int root);
// `from` is only used on the root.
Status scatter(int group, const Tensor& from, const Tensor& to, int root);
Status all_to_all(int group, const Tensor& from, const Tensor& to, std::span<const int64_t> sent,
                  std::span<const int64_t> received);

}  // namespace msjit
