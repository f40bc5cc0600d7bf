// Collective calls over the memory of tensors: MPI reads and writes it, nothing is copied where the
// tensors are contiguous. They block; the caller lets go of locks that others need. What the
// members of a group call must agree: `agree` finds out before, the rest takes it for granted.
#pragma once

#include "kernels/core/tensor.h"
#include "kernels/processes/groups.h"

namespace msjit {

enum class Reduction : uint8_t { kSum, kMax, kMin, kProd };

// Whether all members came with the same number.
Result<bool> agree(int group, int64_t value);
Status barrier(int group);
// `from` and `to` may be the same tensor. TypeError for dtypes without arithmetic in MPI: bool,
// float16, bfloat16, and complex numbers for max and min.
Status all_reduce(int group, const Tensor& from, const Tensor& to, Reduction op);
// `to` counts on the root alone.
Status reduce(int group, const Tensor& from, const Tensor& to, Reduction op, int root);
// `counts` elements of the reduced tensor for each member.
Status reduce_scatter(int group, const Tensor& from, const Tensor& to, Reduction op,
                      std::span<const int64_t> counts);
// The members' elements one after the other; `counts` says how many each has.
Status all_gather(int group, const Tensor& from, const Tensor& to, std::span<const int64_t> counts);
Status broadcast(int group, const Tensor& data, int root);
// `to` counts on the root alone.
Status gather(int group, const Tensor& from, const Tensor& to, int root);
// `from` counts on the root alone.
Status scatter(int group, const Tensor& from, const Tensor& to, int root);
Status all_to_all(int group, const Tensor& from, const Tensor& to, std::span<const int64_t> sent,
                  std::span<const int64_t> received);

}  // namespace msjit
