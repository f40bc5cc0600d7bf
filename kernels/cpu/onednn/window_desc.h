// How oneDNN is told of a window problem: sizes, layouts, its key.
#pragma once

#include "kernels/cpu/onednn/program.h"

namespace msjit::onednn {

inline memory::dims input_dims(const Window2d& w) {
  return {w.batch, w.in_channels, w.in[0], w.in[1]};
}
inline memory::dims output_dims(const Window2d& w) {
  return {w.batch, w.out_channels, w.out[0], w.out[1]};
}
inline memory::dims weight_dims(const Window2d& w) {
  int64_t in = w.in_channels / w.groups;
  if (w.groups == 1) return {w.out_channels, in, w.kernel[0], w.kernel[1]};
  return {w.groups, w.out_channels / w.groups, in, w.kernel[0], w.kernel[1]};
}
inline Tag weight_tag(const Window2d& w) { return w.groups == 1 ? Tag::oihw : Tag::goihw; }
inline memory::dims dims2(const int64_t (&pair)[2]) { return {pair[0], pair[1]}; }
inline memory::dims gaps(const Window2d& w) { return {w.dilation[0] - 1, w.dilation[1] - 1}; }

inline Key window_key(Kind kind, const Window2d& w, int64_t variant) {
  Key key(kind);
  key << variant << w.batch << w.in_channels << w.out_channels << w.groups << w.in << w.out
      << w.kernel << w.stride << w.dilation << w.pad_begin << w.pad_end;
  return key;
}

// How a batch of images lies in memory.
inline Tag order_tag(bool channels_last) { return channels_last ? Tag::nhwc : Tag::nchw; }
// What a primitive is asked to read and write: images with the channels last as they are, others as
// it likes best.
inline memory::desc wanted(const memory::dims& dims, bool channels_last,
                           memory::data_type type = memory::data_type::f32) {
  return channels_last ? plain(dims, Tag::nhwc, type) : any(dims, type);
}

// The orders of a convolution's input and output.
struct Orders {
  bool in, out;
};

}  // namespace msjit::onednn
