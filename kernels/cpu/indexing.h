// Advanced indexing with NumPy's placement rules, shared by index, index_update, index_assign and
// gather. `axes` names, ascending, the axes that the index tensors stand on. Indices may be
// negative; one out of bounds is an IndexError before anything is written.
#pragma once

#include "kernels/core/op.h"

namespace msjit::indexing {

// Shape of x[indices]; the index tensors are the inputs from `first` on.
Result<Shape> infer_shape(const InferCtx& ctx, const Shape& x, int first, const IntList& axes);
// The same of a value that must broadcast to it.
Status check_value(const InferCtx& ctx, const Meta& value, const Shape& result);

// How x is walked: contiguous, as (pre, indexed axes..., post).
struct Plan {
  int64_t pre = 1, rows = 1, post = 1;
  int perm[kMaxRank];
  bool permuted = false;
};
Plan make_plan(const Shape& x, const IntList& axes);
// What the indices broadcast to.
Shape index_shape(std::span<const Tensor> indices);
// The shape of what is put at target[indices], where `walked` is target as the plan walks it.
Shape value_shape(const Tensor& walked, const Plan& plan, const Shape& index_shape,
                  const IntList& axes);

Status take(const char* name, const Tensor& x, std::span<const Tensor> indices, const IntList& axes,
            const Tensor& out);
// target[indices] = value, or += value with every repeated index counted.
Status put(const char* name, const Tensor& target, const Tensor& value,
           std::span<const Tensor> indices, const IntList& axes, bool accumulate);

// How an element that is there and one that is written make the new one.
enum class Combine { kWrite, kAdd, kMul, kDiv, kMax, kMin };

// As put, every repeated index counted.
Status put_combined(const char* name, const Tensor& target, const Tensor& value,
                    std::span<const Tensor> indices, const IntList& axes, Combine how);

// target[..., indices[..., j, ...], ...] along one axis, for tensors of equal rank.
Status check_along_axis(const InferCtx& ctx, const Meta& x, const Meta& indices, int axis);
Status take_along_axis(const char* name, const Tensor& x, const Tensor& indices, int axis,
                       const Tensor& out);
Status put_along_axis(const char* name, const Tensor& target, const Tensor& indices,
                      const Tensor& updates, int axis, bool accumulate);

// Positions of the true elements, one row each, as NumPy's argwhere: int64 (count, rank). Its size
// depends on the data, so it is no op; masks are turned into indices by it before an op is called.
Result<Tensor> nonzero(const Tensor& mask);

}  // namespace msjit::indexing
