// Advanced indexing with NumPy's placement rules, shared by index, index_update, index_assign and
// gather. `axes` names the axes that the index tensors index, ascending. Indices may be negative.
// One out of bounds is an IndexError before anything is written.
#pragma once

#include "kernels/core/op.h"

namespace msjit::indexing {

// Shape of x[indices]; the index tensors are the inputs from `first` on.
Result<Shape> infer_shape(const InferCtx& ctx, const Shape& x, int first, const IntList& axes);
// Checks that a value can be broadcast to that shape, and that the elements of x can hold it:
// floats put among integers would lose their fractions.
Status check_value(const InferCtx& ctx, const Meta& x, const Meta& value, const Shape& result);

// How x is walked: as contiguous (pre, indexed axes..., post).
struct Plan {
  int64_t pre = 1, rows = 1, post = 1;
  int perm[kMaxRank];
  bool permuted = false;
};
Plan make_plan(const Shape& x, const IntList& axes);
// The shape to which the indices broadcast.
Shape index_shape(std::span<const Tensor> indices);
// The shape of what is put at target[indices]; `walked` is the target as the plan walks it.
Shape value_shape(const Tensor& walked, const Plan& plan, const Shape& index_shape,
                  const IntList& axes);

Status take(const char* name, const Tensor& x, std::span<const Tensor> indices, const IntList& axes,
            const Tensor& out);
// The gradient of x[indices], for operators of x and one index for each of the named axes.
void take_vjp(Vjp& v);
// target[indices] = value, or += value, where every repeated index counts.
Status put(const char* name, const Tensor& target, const Tensor& value,
           std::span<const Tensor> indices, const IntList& axes, bool accumulate);

// How an existing element and a written one are combined.
enum class Combine { kWrite, kAdd, kMul, kDiv, kMax, kMin };

// Like put(); every repeated index counts.
Status put_combined(const char* name, const Tensor& target, const Tensor& value,
                    std::span<const Tensor> indices, const IntList& axes, Combine how);

// target[..., indices[..., j, ...], ...] along one axis, for tensors of equal rank.
Status check_along_axis(const InferCtx& ctx, const Meta& x, const Meta& indices, int axis);
Status take_along_axis(const char* name, const Tensor& x, const Tensor& indices, int axis,
                       const Tensor& out);
Status put_along_axis(const char* name, const Tensor& target, const Tensor& indices,
                      const Tensor& updates, int axis, bool accumulate);

// Positions of the true elements, one row each, as in NumPy's argwhere: int64 (count, rank). The
// size depends on the data, so this is no op; it turns a mask into indices before an op is called.
Result<Tensor> nonzero(const Tensor& mask);

}  // namespace msjit::indexing
