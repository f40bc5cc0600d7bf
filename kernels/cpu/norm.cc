#include "kernels/cpu/norm.h"

#include <cmath>

namespace msjit::norm {
namespace {

// Calls f(element, position in the inner run) for the elements of a group.
template <class F>
inline void walk(const Grid& grid, int64_t group, F&& f) {
  for (int64_t o = 0; o < grid.outer; ++o) {
    int64_t base = group * grid.group_stride + o * grid.outer_stride;
    for (int64_t j = 0; j < grid.inner; ++j) f(base + j, j);
  }
}

}  // namespace

void statistics(const Grid& grid, const double* x, double* mean, double* variance) {
  double count = static_cast<double>(grid.outer * grid.inner);
  for (int64_t g = 0; g < grid.groups; ++g) {
    double sum = 0, squares = 0;
    walk(grid, g, [&](int64_t i, int64_t) { sum += x[i]; });
    double centre = sum / count;
    walk(grid, g, [&](int64_t i, int64_t) { squares += (x[i] - centre) * (x[i] - centre); });
    mean[g] = centre;
    variance[g] = squares / count;
  }
}

void forward(const Grid& grid, double epsilon, const double* x, const double* mean,
             const double* variance, const double* scale, const double* shift, double* y) {
  for (int64_t g = 0; g < grid.groups; ++g) {
    double rate = 1.0 / std::sqrt(variance[g] + epsilon);
    walk(grid, g, [&](int64_t i, int64_t j) {
      int64_t at = grid.scale_per_group ? g : j;
      double value = (x[i] - mean[g]) * rate;
      y[i] = value * (scale ? scale[at] : 1.0) + (shift ? shift[at] : 0.0);
    });
  }
}

void backward(const Grid& grid, double epsilon, const double* x, const double* mean,
              const double* variance, const double* scale, const double* dy, double* dx,
              double* dscale, double* dshift) {
  double count = static_cast<double>(grid.outer * grid.inner);
  for (int64_t g = 0; g < grid.groups; ++g) {
    double rate = 1.0 / std::sqrt(variance[g] + epsilon);
    double sum = 0, dot = 0;
    walk(grid, g, [&](int64_t i, int64_t j) {
      int64_t at = grid.scale_per_group ? g : j;
      double normal = (x[i] - mean[g]) * rate, scaled = dy[i] * (scale ? scale[at] : 1.0);
      sum += scaled;
      dot += scaled * normal;
      dscale[at] += dy[i] * normal;
      dshift[at] += dy[i];
    });
    walk(grid, g, [&](int64_t i, int64_t j) {
      int64_t at = grid.scale_per_group ? g : j;
      double normal = (x[i] - mean[g]) * rate, scaled = dy[i] * (scale ? scale[at] : 1.0);
      dx[i] = rate * (scaled - sum / count - normal * dot / count);
    });
  }
}

}  // namespace msjit::norm
