// Helpers for kernels that move data: views, overlap tests, conversion. Views made here share
// storage and may have any strides, also zero and negative ones.
#pragma once

#include "kernels/core/op.h"

namespace msjit::layout {

// The elements begin, begin + step, ... (count of them) along `axis`.
Tensor slice_axis(const Tensor& t, int axis, int64_t begin, int64_t count, int64_t step = 1);
// Like NumPy's broadcast_to; the caller knows that the shapes agree.
Tensor broadcast(const Tensor& t, const Shape& shape);
Tensor permute(const Tensor& t, std::span<const int> perm);
Tensor swap_axes(const Tensor& t, int a, int b);
// A view of another shape when the strides allow it; an empty handle otherwise.
Tensor try_reshape(const Tensor& t, const Shape& shape);
// The view, or a reshaped contiguous copy.
Result<Tensor> reshape(const Tensor& t, const Shape& shape);

// Whether two tensors may touch the same byte.
bool may_overlap(const Tensor& a, const Tensor& b);
// Whether two elements of a tensor may be one place in memory, as after broadcast_to().
bool overlaps_itself(const Tensor& t);
// `t` itself, or a contiguous copy when writing `target` could change what is read from `t`.
Result<Tensor> detached_from(const Tensor& t, const Tensor& target);

// `t` as `dtype`: itself when it already has that dtype, else a converted copy.
Result<Tensor> cast_to(const Tensor& t, DType dtype);
Result<Tensor> contiguous_as(const Tensor& t, DType dtype);
void fill_zero(const Tensor& contiguous);

// For a kernel that writes row-major elements of `dtype`: `out` itself when it has that form, else
// a temporary tensor that deliver() converts and copies to `out`.
Result<Tensor> plain_target(const Tensor& out, DType dtype);
Status deliver(const Tensor& computed, const Tensor& out);

// Channels last: a tensor (N, C, H, W) that lies in memory as N, H, W, C. Compiled graphs keep
// images in this order from one convolution to the next.
Shape channels_last_strides(const Shape& shape);
bool is_channels_last(const Tensor& t);  // false when it is contiguous as well
// `t` itself when it lies channels last, else a copy that does.
Result<Tensor> to_channels_last(const Tensor& t);

// Refuses tensors that share read-only memory. The eager sink checks the first input of an in-place
// op.
Status check_writable(const OpDef& op, const Tensor& t, const char* param);

// outer x length x inner: a contiguous tensor as an op along `axis` sees it.
struct AxisSplit {
  int64_t outer = 1, length = 1, inner = 1;
};
AxisSplit split_at(const Shape& shape, int axis);

// How many iterations of a parallel loop are worth a thread, if each costs `cost` element
// operations.
inline int64_t grain_for(int64_t cost) {
  constexpr int64_t kWorth = 32768;
  return cost >= kWorth ? 1 : kWorth / (cost > 0 ? cost : 1);
}

inline IntList as_list(const Shape& shape) { return IntList(std::span<const Dim>(shape)); }

// An integer tensor of any width as contiguous int64 values.
Result<Tensor> as_int64(const Tensor& t);

}  // namespace msjit::layout
