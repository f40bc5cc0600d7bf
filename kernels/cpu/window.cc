#include "kernels/cpu/window.h"

#include <algorithm>

namespace msjit::window {
namespace {

constexpr int64_t kMaxSetting = int64_t{1} << 31;

Status read_pair(const char* name, const char* what, const AttrValue& value, int64_t low,
                 int64_t (&out)[2]) {
  const IntList& list = value.as_list();
  if (list.size() != 1 && list.size() != 2)
    return value_error("[{}] {} has a wrong length, got {}, expected 1 or 2", name, what,
                       list.size());
  for (int i = 0; i < 2; ++i) {
    out[i] = list[list.size() == 1 ? 0 : i];
    if (out[i] < low || out[i] > kMaxSetting)
      return value_error("[{}] {} out of range, got {}, expected at least {}", name, what,
                         value.str(), low);
  }
  return {};
}

Status read_padding(const char* name, const AttrValue& value, Window2d& w) {
  const IntList& list = value.as_list();
  if (list.size() != 1 && list.size() != 2 && list.size() != 4)
    return value_error("[{}] padding has a wrong length, got {}, expected 1, 2 or 4", name,
                       list.size());
  for (int64_t pad : list)
    if (pad < 0 || pad > kMaxSetting)
      return value_error("[{}] padding out of range, got {}, expected at least 0", name,
                         value.str());
  for (int i = 0; i < 2; ++i) {
    w.pad_begin[i] = list.size() == 4 ? list[2 * i] : list[list.size() == 1 ? 0 : i];
    w.pad_end[i] = list.size() == 4 ? list[2 * i + 1] : w.pad_begin[i];
  }
  return {};
}

Status set_outputs(const char* name, Window2d& w, bool ceil_mode) {
  for (int i = 0; i < 2; ++i) {
    int64_t extent = w.dilation[i] * (w.kernel[i] - 1) + 1;
    int64_t room = w.in[i] + w.pad_begin[i] + w.pad_end[i] - extent;
    // In ceil mode the only window of a small input may end beyond it, by less than a step.
    if (room < 0 && (!ceil_mode || -room >= w.stride[i]))
      return value_error("[{}] the kernel does not fit the padded input, got extent {} for size {}",
                         name, extent, w.in[i] + w.pad_begin[i] + w.pad_end[i]);
    w.out[i] = room / w.stride[i] + 1;
    if (!ceil_mode || room % w.stride[i] == 0) continue;
    // The last window must start inside the input or its leading padding.
    if (w.out[i] * w.stride[i] >= w.in[i] + w.pad_begin[i]) continue;
    ++w.out[i];
  }
  return {};
}

// A dilated window that starts in the padding may step over a small input entirely; it would have
// no maximum.
Status check_taps(const char* name, const Window2d& w) {
  for (int i = 0; i < 2; ++i)
    for (int64_t o = 0; o < w.out[i] && o * w.stride[i] < w.pad_begin[i]; ++o) {
      int64_t first = (o * w.stride[i] - w.pad_begin[i]) % w.dilation[i];
      if (first < 0) first += w.dilation[i];
      if (first >= w.in[i])
        return value_error("[{}] a window lies in the padding alone, got size {} and dilation {}",
                           name, w.in[i], w.dilation[i]);
    }
  return {};
}

}  // namespace

Result<Window2d> conv(const char* name, const Shape& x, const Shape& weight, const Attrs& attrs,
                      int first) {
  if (x.rank() != 4 || weight.rank() != 4)
    return value_error("[{}] x and weight have a wrong rank, got {} and {}, expected 4", name,
                       x.rank(), weight.rank());
  Window2d w{};
  w.batch = x[0];
  w.in_channels = x[1];
  w.out_channels = weight[0];
  w.groups = attrs[first + 3].as_int();
  for (int i = 0; i < 2; ++i) {
    w.in[i] = x[2 + i];
    w.kernel[i] = weight[2 + i];
    if (w.kernel[i] == 0 || w.kernel[i] > kMaxSetting)
      return value_error("[{}] kernel size out of range, got weight shape {}, expected at least 1",
                         name, weight.str());
  }
  if (w.groups < 1 || w.in_channels % w.groups || w.out_channels % w.groups)
    return value_error("[{}] groups must divide the channels, got {} for {} and {}", name, w.groups,
                       w.in_channels, w.out_channels);
  if (weight[1] != w.in_channels / w.groups)
    return value_error("[{}] input channels per group must match, got {} and {} in shapes {}, {}",
                       name, w.in_channels / w.groups, weight[1], x.str(), weight.str());
  MSJIT_OK(read_pair(name, "stride", attrs[first], 1, w.stride));
  MSJIT_OK(read_padding(name, attrs[first + 1], w));
  MSJIT_OK(read_pair(name, "dilation", attrs[first + 2], 1, w.dilation));
  MSJIT_OK(set_outputs(name, w, false));
  return w;
}

Result<Window2d> pool(const char* name, const Shape& x, const PoolAttrs& attrs) {
  if (x.rank() != 4)
    return value_error("[{}] x has a wrong rank, got {}, expected 4", name, x.rank());
  Window2d w{};
  w.batch = x[0];
  w.in_channels = w.out_channels = x[1];
  w.groups = 1;
  w.in[0] = x[2];
  w.in[1] = x[3];
  w.dilation[0] = w.dilation[1] = 1;
  if (x[2] == 0 || x[3] == 0)
    return value_error("[{}] x has empty planes, got shape {}", name, x.str());
  MSJIT_OK(read_pair(name, "kernel_size", attrs.kernel, 1, w.kernel));
  const AttrValue& stride = attrs.stride.is_none() ? attrs.kernel : attrs.stride;
  MSJIT_OK(read_pair(name, "stride", stride, 1, w.stride));
  MSJIT_OK(read_padding(name, attrs.padding, w));
  if (attrs.dilation) MSJIT_OK(read_pair(name, "dilation", *attrs.dilation, 1, w.dilation));
  for (int i = 0; i < 2; ++i)
    if (std::max(w.pad_begin[i], w.pad_end[i]) * 2 > w.dilation[i] * (w.kernel[i] - 1) + 1)
      return value_error("[{}] padding must be at most half the kernel, got {} for {}", name,
                         std::max(w.pad_begin[i], w.pad_end[i]), w.kernel[i]);
  MSJIT_OK(set_outputs(name, w, attrs.ceil_mode));
  if (w.dilation[0] > 1 || w.dilation[1] > 1) MSJIT_OK(check_taps(name, w));
  return w;
}

}  // namespace msjit::window
