#include "kernels/cpu/norm.h"

#include <cmath>

#include "kernels/cpu/layout.h"
#include "kernels/cpu/parallel.h"

namespace msjit::norm {
namespace {

// Calls f(channel) for every channel, distributed over threads.
template <class F>
void each_channel(const Channels& c, F&& f) {
  parallel_for(c.channels, layout::grain_for(c.batch * c.inner), [&](int64_t begin, int64_t end) {
    for (int64_t channel = begin; channel < end; ++channel) f(channel);
  });
}

// Calls f(offset of a run of `inner` elements) for each image.
template <class F>
inline void each_run(const Channels& c, int64_t channel, F&& f) {
  for (int64_t n = 0; n < c.batch; ++n) f((n * c.channels + channel) * c.inner);
}

// The sum of f(j) over [0, n), in independent lanes that the compiler keeps in vector registers.
template <class T, class F>
inline double sum_lanes(int64_t n, F&& f) {
  constexpr int kLanes = 128 / sizeof(T);
  T lanes[kLanes] = {};
  int64_t j = 0;
  for (; j + kLanes <= n; j += kLanes)
    for (int l = 0; l < kLanes; ++l) lanes[l] += f(j + l);
  double total = 0;
  for (; j < n; ++j) total += static_cast<double>(f(j));
  for (T lane : lanes) total += static_cast<double>(lane);
  return total;
}

}  // namespace

// A run is summed in T by lanes; the runs are summed in double.
template <class T>
void channel_statistics(const Channels& c, const T* x, T* mean, T* variance) {
  double count = static_cast<double>(c.batch * c.inner);
  each_channel(c, [&](int64_t channel) {
    double total = 0, squares = 0;
    each_run(c, channel, [&](int64_t at) {
      total += sum_lanes<T>(c.inner, [run = x + at](int64_t j) { return run[j]; });
    });
    T centre = static_cast<T>(total / count);
    each_run(c, channel, [&](int64_t at) {
      squares += sum_lanes<T>(c.inner, [run = x + at, centre](int64_t j) {
        return (run[j] - centre) * (run[j] - centre);
      });
    });
    mean[channel] = centre;
    variance[channel] = static_cast<T>(squares / count);
  });
}

template <class T>
void channel_forward(const Channels& c, T epsilon, const T* x, const T* mean, const T* variance,
                     const T* scale, const T* shift, T* y) {
  each_channel(c, [&](int64_t channel) {
    T factor = scale[channel] / std::sqrt(variance[channel] + epsilon);
    T centre = mean[channel], added = shift[channel];
    each_run(c, channel, [&](int64_t at) {
#pragma omp simd
      for (int64_t j = 0; j < c.inner; ++j) y[at + j] = (x[at + j] - centre) * factor + added;
    });
  });
}

template <class T>
void channel_backward(const Channels& c, T epsilon, const T* x, const T* mean, const T* variance,
                      const T* scale, const T* dy, T* dx, T* dscale, T* dshift) {
  double count = static_cast<double>(c.batch * c.inner);
  each_channel(c, [&](int64_t channel) {
    T rate = T(1) / std::sqrt(variance[channel] + epsilon), centre = mean[channel];
    double total = 0, dot = 0;
    each_run(c, channel, [&](int64_t at) {
      const T *run = x + at, *arrived = dy + at;
      total += sum_lanes<T>(c.inner, [=](int64_t j) { return arrived[j]; });
      dot += sum_lanes<T>(c.inner, [=](int64_t j) { return arrived[j] * (run[j] - centre); });
    });
    dshift[channel] = static_cast<T>(total);
    dscale[channel] = static_cast<T>(dot * static_cast<double>(rate));
    T average = static_cast<T>(total / count), factor = scale[channel] * rate;
    T slope = static_cast<T>(dot / count) * rate * rate;
    each_run(c, channel, [&](int64_t at) {
#pragma omp simd
      for (int64_t j = 0; j < c.inner; ++j)
        dx[at + j] = factor * (dy[at + j] - average - (x[at + j] - centre) * slope);
    });
  });
}

#define MSJIT_INSTANTIATE(T)                                                                 \
  template void channel_statistics(const Channels&, const T*, T*, T*);                       \
  template void channel_forward(const Channels&, T, const T*, const T*, const T*, const T*,  \
                                const T*, T*);                                               \
  template void channel_backward(const Channels&, T, const T*, const T*, const T*, const T*, \
                                 const T*, T*, T*, T*);
MSJIT_INSTANTIATE(float)
MSJIT_INSTANTIATE(double)
#undef MSJIT_INSTANTIATE

}  // namespace msjit::norm
