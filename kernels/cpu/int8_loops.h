// Products and convolutions of 8-bit integers for machines whose instructions for them are missing:
// operands are widened to 16 bits, of which pairs are multiplied and added in 32 bits, so that the
// sums are exact.
#pragma once

#include "kernels/cpu/onednn.h"

namespace msjit::int8_loops {

struct Operands {
  const void* x;  // int8 or uint8, channels last
  bool is_unsigned;
  const Tensor& weight;  // int8, contiguous: (out_channels, in_channels / groups, kernel)
  const float* scale;    // an element an output channel
  const float* bias;     // likewise, or null
  onednn::ImagesOut y;
};
// y = scale * (x * weight) + bias. No size is zero.
Status convolve(const onednn::Window2d& w, const Operands& o);

// out = scale * (x weight^T) + bias, contiguous.
Status multiply(const onednn::Int8Product& p, const void* x, const Tensor& weight,
                const float* scale, const float* bias, float* out);

}  // namespace msjit::int8_loops
