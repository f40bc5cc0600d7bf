// Normalisation loops for float64, where oneDNN has none. One description covers batch and layer normalisation: groups of
// elements share a mean and a variance; a group is `outer` runs of `inner` elements, `outer_stride` apart.
#pragma once

#include <cstdint>

namespace msjit::norm {

struct Grid {
  int64_t groups, group_stride;  // start of one group after another
  int64_t outer, outer_stride, inner;
  bool scale_per_group;  // else one scale an element of the inner run
};
inline Grid batch_grid(int64_t batch, int64_t channels, int64_t inner) {
  return {channels, inner, batch, channels * inner, inner, true};
}
inline Grid layer_grid(int64_t rows, int64_t width) { return {rows, width, 1, 0, width, false}; }

void statistics(const Grid& grid, const double* x, double* mean, double* variance);
// scale and shift may be null.
void forward(const Grid& grid, double epsilon, const double* x, const double* mean,
             const double* variance, const double* scale, const double* shift, double* y);
// dscale and dshift are added to.
void backward(const Grid& grid, double epsilon, const double* x, const double* mean,
              const double* variance, const double* scale, const double* dy, double* dx,
              double* dscale, double* dshift);

}  // namespace msjit::norm
