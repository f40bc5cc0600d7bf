// Convolution and its two gradients on tensors of one float dtype. float32 uses oneDNN; its images
// may lie channels last. 16-bit floats use oneDNN too: directly if the machine has instructions for
// them, otherwise converted to float32. float64 uses unfolded patches and msjit's matrix product.
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
