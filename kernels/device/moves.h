// Filling, spreading and converting on a device: what kernels there begin with.
#pragma once

#include "kernels/core/op.h"
#include "kernels/device/device_tensors.h"

namespace msjit::devices {

// All elements become that value, converted as fill (kernels/cpu/fill.h) does. Contiguous.
Status fill(const Tensor& out, const AttrValue& value);
Status fill_zero(const Tensor& out);

// The tensor as another dtype, itself where it has it.
Result<Tensor> cast_to(const Tensor& t, DType dtype);
// Contiguous, of that dtype and shape, to which it broadcasts. A number of the host may come too.
Result<Tensor> spread(const Tensor& t, DType dtype, const Shape& shape, Context& at);

}  // namespace msjit::devices
