// Helpers on tensor layouts for kernels that move data rather than compute: views, overlap tests,
// conversion. Views made here share storage and may carry any strides, zero and negative ones
// included.
#pragma once

#include "kernels/core/op.h"

namespace msjit::layout {

// The elements begin, begin + step, ... (count of them) along `axis`.
Tensor slice_axis(const Tensor& t, int axis, int64_t begin, int64_t count, int64_t step = 1);
// Like NumPy's broadcast_to; the shapes are known to agree.
Tensor broadcast(const Tensor& t, const Shape& shape);
Tensor permute(const Tensor& t, std::span<const int> perm);
Tensor swap_axes(const Tensor& t, int a, int b);
// A view of another shape when the strides allow it; an empty handle otherwise.
Tensor try_reshape(const Tensor& t, const Shape& shape);
// The view, or a reshaped contiguous copy.
Result<Tensor> reshape(const Tensor& t, const Shape& shape);

// Whether two tensors may touch the same byte.
bool may_overlap(const Tensor& a, const Tensor& b);
// `t` itself, or a contiguous copy where writing `target` could change what is read from it.
Result<Tensor> detached_from(const Tensor& t, const Tensor& target);

// Values of `t` as `dtype`: itself when already so, else a converted copy.
Result<Tensor> cast_to(const Tensor& t, DType dtype);
Result<Tensor> contiguous_as(const Tensor& t, DType dtype);
void fill_zero(const Tensor& contiguous);

// Where a kernel that writes plain row-major elements of `dtype` computes `out`: there itself where
// that is so, else a stand-in that deliver() converts and copies.
Result<Tensor> plain_target(const Tensor& out, DType dtype);
Status deliver(const Tensor& computed, const Tensor& out);

// Channels last: a tensor (N, C, H, W) that lies in memory as N, H, W, C. Compiled graphs keep
// images so from one convolution to the next.
Shape channels_last_strides(const Shape& shape);
bool is_channels_last(const Tensor& t);  // false where it is contiguous as well
// `t` itself when it lies so, else a copy that does.
Result<Tensor> to_channels_last(const Tensor& t);

// Refuses tensors that share read-only memory; an in-place op's first input is checked by the eager
// sink.
Status check_writable(const OpDef& op, const Tensor& t, const char* param);

// outer x length x inner: how a contiguous tensor is seen by an op along `axis`.
struct AxisSplit {
  int64_t outer = 1, length = 1, inner = 1;
};
AxisSplit split_at(const Shape& shape, int axis);

// Iterations of a parallel loop, each worth `cost` element operations, that are worth a thread.
inline int64_t grain_for(int64_t cost) {
  constexpr int64_t kWorth = 32768;
  return cost >= kWorth ? 1 : kWorth / (cost > 0 ? cost : 1);
}

inline IntList as_list(const Shape& shape) { return IntList(std::span<const Dim>(shape)); }

// Integer tensor of any width as contiguous int64 values.
Result<Tensor> as_int64(const Tensor& t);

}  // namespace msjit::layout
