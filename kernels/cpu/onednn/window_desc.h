// Describes window problems to oneDNN: sizes, layouts, the key of a program, and which kernel
// suits.
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

// Of a convolution, or of one of its gradients.
inline int64_t operations(const Window2d& w) {
  return 2 * w.batch * w.out_channels * w.out[0] * w.out[1] * (w.in_channels / w.groups) *
         w.kernel[0] * w.kernel[1];
}

// How a batch of images lies in memory.
inline Tag order_tag(bool channels_last) { return channels_last ? Tag::nhwc : Tag::nchw; }
// The layout in which a primitive is asked to read and write: channels-last images as they are, for
// others the one it prefers.
inline memory::desc wanted(const memory::dims& dims, bool channels_last,
                           memory::data_type type = memory::data_type::f32) {
  return channels_last ? plain(dims, Tag::nhwc, type) : any(dims, type);
}

// The orders of a convolution's input and output.
struct Orders {
  bool in, out;
};

inline dnnl::convolution_forward::primitive_desc conv_desc(
    const Window2d& w, Orders last, bool bias, dnnl::prop_kind prop,
    memory::data_type type = memory::data_type::f32) {
  memory::dims stride = dims2(w.stride), begin = dims2(w.pad_begin), end = dims2(w.pad_end);
  auto algorithm = dnnl::algorithm::convolution_direct;
  memory::desc x = wanted(input_dims(w), last.in, type), weight = any(weight_dims(w), type),
               y = wanted(output_dims(w), last.out, type);
  if (bias)
    return {engine(), prop,   algorithm, x,     weight, vector(w.out_channels),
            y,        stride, gaps(w),   begin, end,    user_scratchpad()};
  return {engine(), prop, algorithm, x, weight, y, stride, gaps(w), begin, end, user_scratchpad()};
}

// How well a kernel of oneDNN suits a convolution. The reference kernel is some hundred times
// slower than the others. For a depthwise convolution, kernels that are not made for depthwise ones
// are some ten times slower (measured with AVX2).
enum class Fit { kReference, kGeneral, kMade };
inline Fit fit_of(const Window2d& w, std::string_view kernel) {
  if (kernel.starts_with("ref")) return Fit::kReference;
  const bool depthwise = w.groups == w.in_channels && w.groups == w.out_channels && w.groups > 1;
  return depthwise && kernel.find("_dw") == kernel.npos ? Fit::kGeneral : Fit::kMade;
}

// The primitive that `make` describes for these orders, unless another pair of orders has a better
// kernel. The kernels for channels-first images with channels-last results are often poor. The
// builder reorders the operands where the primitive's orders differ from theirs.
template <class Make>
auto best_fit(const Window2d& w, Orders last, const Make& make) {
  auto best = make(last);
  Fit fit = fit_of(w, best.impl_info_str());
  for (const Orders other : {Orders{true, true}, Orders{false, false}}) {
    if (fit == Fit::kMade) break;
    auto found = make(other);
    if (const Fit better = fit_of(w, found.impl_info_str()); better > fit) {
      best = std::move(found);
      fit = better;
    }
  }
  return best;
}

}  // namespace msjit::onednn
