// Convolution and its two gradients on tensors of one float dtype: oneDNN for float32, whose images
// may lie channels last, and through it the 16-bit floats; unfolded patches and the project's
// matrix product for float64.
#pragma once

#include "kernels/cpu/window.h"

namespace msjit::convolution {

Status forward(const onednn::Window2d& w, const Tensor& x, const Tensor& weight, const Tensor* bias,
               const Tensor& y);
Status input_grad(const onednn::Window2d& w, const Tensor& dy, const Tensor& weight,
                  const Tensor& dx);
Status weight_grad(const onednn::Window2d& w, const Tensor& x, const Tensor& dy,
                   const Tensor& dweight);

}  // namespace msjit::convolution
