// kernels/cpu/pool.h on a device, and convolutions by the device vendor's library. Results are
// contiguous.
#pragma once

#include "kernels/cpu/pool.h"

namespace msjit::devices {

using onednn::Window2d;

// `y` or `index` may be an empty handle.
Status max_pool(const Window2d& w, const Tensor& x, const Tensor& y, const Tensor& index);
Status max_pool_grad(const Window2d& w, const Tensor& x, const Tensor& dy, const Tensor& dx);
Status average_pool(const Window2d& w, pooling::Divisor divisor, const Tensor& x, const Tensor& y);
Status average_pool_grad(const Window2d& w, pooling::Divisor divisor, const Tensor& dy,
                         const Tensor& dx);

// NotImplementedError when the device has no such library or it does not support the problem.
Status convolve(const Window2d& w, const Tensor& x, const Tensor& weight, const Tensor* bias,
                const Tensor& y);
Status convolve_input_grad(const Window2d& w, const Tensor& dy, const Tensor& weight,
                           const Tensor& dx);
Status convolve_weight_grad(const Window2d& w, const Tensor& x, const Tensor& dy,
                            const Tensor& dweight);

}  // namespace msjit::devices
