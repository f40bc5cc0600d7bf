// Pooling loops over the planes of contiguous NCHW tensors, for every dtype and for the cases
// oneDNN does not have: index of the maximum, windows cut at the border (ceil_mode), a divisor
// given by the user.
#pragma once

#include "kernels/cpu/layout.h"
#include "kernels/cpu/window.h"

namespace msjit::pooling {

// Whether oneDNN computes this problem with the same numbers.
bool is_plain(const onednn::Window2d& w, DType dtype);
// The same for the maximum of a dense x: no NaN, which oneDNN loses, and no -infinity, which
// it takes for the least finite number.
bool is_plain_max(const onednn::Window2d& w, const Tensor& x);

// x in the order in which a pooling of oneDNN's writes float32 images y: channels last where they
// lie so, else plain.
Result<Tensor> in_order_of(const Tensor& y, const Tensor& x);
inline onednn::Images images(const Tensor& t) {
  return {t.data_as<float>(), layout::is_channels_last(t)};
}

// Maximum of each window; `index` (int64, position in the plane; may be an empty handle) is of the
// first one. A NaN wins.
Status max(const onednn::Window2d& w, const Tensor& x, const Tensor& y, const Tensor& index);
// Adds each dy to the element of its plane that `index` names; dx is zeroed first.
Status unpool(const char* name, const Tensor& dy, const Tensor& index, const Tensor& dx);

struct Divisor {
  bool include_padding;
  int64_t fixed;  // 0: the number of elements
};
Status average(const onednn::Window2d& w, Divisor divisor, const Tensor& x, const Tensor& y);
Status average_grad(const onednn::Window2d& w, Divisor divisor, const Tensor& dy, const Tensor& dx);

}  // namespace msjit::pooling
