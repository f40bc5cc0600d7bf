// Filling, broadcasting and converting on a device: what kernels there start with.
#pragma once

#include "kernels/core/op.h"
#include "kernels/device/device_tensors.h"

namespace msjit::devices {

// Sets all elements to a value, converted as fill (kernels/cpu/fill.h) does. `out` is contiguous.
Status fill(const Tensor& out, const AttrValue& value);
Status fill_zero(const Tensor& out);

// The tensor as another dtype; itself when it already has that dtype.
Result<Tensor> cast_to(const Tensor& t, DType dtype);
// The tensor broadcast to that shape, contiguous and of that dtype. It may be a number on the host.
Result<Tensor> spread(const Tensor& t, DType dtype, const Shape& shape, Context& at);

}  // namespace msjit::devices
