// The matrix product on a device: brings the operands of product::run (kernels/cpu/matmul.h) into
// the form of DeviceApi::product.
#pragma once

#include "kernels/core/op.h"

namespace msjit::devices {

// a @ b, with the last two axes of an operand swapped where asked, plus `bias` along the last axis
// unless it is null. NotImplementedError for what the device cannot do.
Status product(const Tensor& a, bool transpose_a, const Tensor& b, bool transpose_b,
               const Tensor* bias, const Tensor& out);

}  // namespace msjit::devices
