// Normalisation loops: channels of contiguous NCHW data in both precisions (faster here than
// oneDNN's on plain layouts) and rows in float64, where oneDNN has none. Mean and variance are
// arrays with one element a channel or row.
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

struct Rows {
  int64_t rows, width;
};
void row_statistics(const Rows& r, const double* x, double* mean, double* variance);
void row_forward(const Rows& r, double epsilon, const double* x, const double* mean,
                 const double* variance, const double* scale, const double* shift, double* y);
// dscale and dshift are added to.
void row_backward(const Rows& r, double epsilon, const double* x, const double* mean,
                  const double* variance, const double* scale, const double* dy, double* dx,
                  double* dscale, double* dshift);

}  // namespace msjit::norm
