// Pooling loops over the planes of contiguous NCHW tensors, for every dtype and for what oneDNN
// does not have: the index of the maximum, windows cut at the border (ceil_mode), a divisor given
// by the user.
#pragma once

#include "kernels/cpu/layout.h"
#include "kernels/cpu/window.h"

namespace msjit::pooling {

// Whether oneDNN computes this problem with equal results.
bool is_plain(const onednn::Window2d& w, DType dtype);
// The same for the maximum of a dense x: it must have no NaN, which oneDNN drops, and no -infinity,
// which oneDNN replaces by the least finite number.
bool is_plain_max(const onednn::Window2d& w, const Tensor& x);

// x in the order in which oneDNN's pooling writes the float32 images y: channels last if y lies so,
// else plain.
Result<Tensor> in_order_of(const Tensor& y, const Tensor& x);
inline onednn::Images images(const Tensor& t) {
  return {t.data_as<float>(), layout::is_channels_last(t)};
}

// The maximum of each window. `index` (int64; may be an empty handle) receives the position in the
// plane of the first maximum. A NaN wins.
Status max(const onednn::Window2d& w, const Tensor& x, const Tensor& y, const Tensor& index);
// Zeroes dx, then adds each dy to the element of its plane that `index` names.
Status unpool(const char* name, const Tensor& dy, const Tensor& index, const Tensor& dx);

struct Divisor {
  bool include_padding;
  int64_t fixed;  // 0: the number of elements in the window
};
Status average(const onednn::Window2d& w, Divisor divisor, const Tensor& x, const Tensor& y);
Status average_grad(const onednn::Window2d& w, Divisor divisor, const Tensor& dy, const Tensor& dx);

}  // namespace msjit::pooling
