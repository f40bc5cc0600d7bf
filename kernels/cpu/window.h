// Geometry of 2-D windows (convolution, pooling): reads and checks the list attributes and derives
// output sizes. A list of one value applies to both axes. Padding has one value, two (height,
// width) or four (top, bottom, left, right).
#pragma once

#include "kernels/core/op.h"
#include "kernels/cpu/onednn.h"

namespace msjit::window {

using onednn::Window2d;

// Attributes from attrs[first] on: stride, padding, dilation, groups.
Result<Window2d> conv(const char* name, const Shape& x, const Shape& weight, const Attrs& attrs,
                      int first = 0);

struct PoolAttrs {
  const AttrValue& kernel;
  const AttrValue& stride;  // none: the kernel size
  const AttrValue& padding;
  const AttrValue* dilation;  // null: 1
  bool ceil_mode;             // a last window may start inside and end beyond the padding
};
Result<Window2d> pool(const char* name, const Shape& x, const PoolAttrs& attrs);

inline Shape input_shape(const Window2d& w) { return {w.batch, w.in_channels, w.in[0], w.in[1]}; }
inline Shape output_shape(const Window2d& w) {
  return {w.batch, w.out_channels, w.out[0], w.out[1]};
}

}  // namespace msjit::window
