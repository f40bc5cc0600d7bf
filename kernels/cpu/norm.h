// Normalisation loops over the channels of contiguous NCHW data, in both precisions. Here they are
// faster than oneDNN's on plain layouts. Mean and variance are arrays with one element per channel.
#pragma once

#include <cstdint>

namespace msjit::norm {

struct Channels {
  int64_t batch, channels, inner;
};
template <class T>
void channel_statistics(const Channels& c, const T* x, T* mean, T* variance);
template <class T>
void channel_forward(const Channels& c, T epsilon, const T* x, const T* mean, const T* variance,
                     const T* scale, const T* shift, T* y);
template <class T>
void channel_backward(const Channels& c, T epsilon, const T* x, const T* mean, const T* variance,
                      const T* scale, const T* dy, T* dx, T* dscale, T* dshift);

}  // namespace msjit::norm
