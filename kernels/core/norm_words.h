// Second derivatives of the normalisations, shared by batch_norm_grad and layer_norm_grad and
// written in words.
#pragma once

#include "kernels/core/words.h"

namespace msjit::norm_words {

// One call of a normalisation's gradient: dx, dscale, dbias from x, scale and g. `scale` broadcasts
// against x.
struct Problem {
  Val x, scale, g;
  IntList stat_axes;   // mean and variance are taken over these
  IntList param_axes;  // scale and bias are constant along these
  double epsilon;
};
// Gradients that arrived at dx, dscale and dbias (the last two broadcast against x; invalid =
// none).
struct Arrived {
  Val dx, dscale, dbias;
};
struct Result {
  Val x, scale, g;  // `scale` keeps the reduced axes as size one
};

// The last `count` axes of a value with `rank` of them.
inline IntList last_axes(int rank, int64_t count) {
  IntList axes;
  for (int64_t i = rank - count; i < rank; ++i) axes.push_back(i);
  return axes;
}

inline Val sum_over(const Val& x, const IntList& axes) {
  return axes.empty() ? x : words::sum(x, axes, true);
}

// With c = x - mean, r = 1 / sqrt(variance + epsilon), n = c r and P the projection v - mean(v) - n
// mean(v n): dx = r P(g scale), dscale = sum(g n), dbias = sum(g). P is its own transpose; dn = r
// P, dr = -r^2 n / N.
inline Result second_order(const Problem& p, const Arrived& h) {
  using namespace words;
  auto average = [&](const Val& v) { return mean(v, p.stat_axes, true); };
  Val centred = p.x - average(p.x);
  Val r = rsqrt(average(square(centred)) + p.epsilon);
  Val n = centred * r;
  auto project = [&](const Val& v) { return v - average(v) - n * average(v * n); };
  Val scaled = p.g * p.scale;
  Val bar_n, bar_g, bar_scale, bar_x;
  auto accumulate = [](Val& into, const Val& v) { into = into ? into + v : v; };
  if (h.dx) {
    Val bar_projected = h.dx * r;
    Val bar_scaled = project(bar_projected);
    accumulate(bar_g, bar_scaled * p.scale);
    accumulate(bar_scale, sum_over(bar_scaled * p.g, p.param_axes));
    accumulate(bar_n, -(bar_projected * average(scaled * n) + scaled * average(bar_projected * n)));
    accumulate(bar_x, -(average(h.dx * project(scaled)) * square(r) * n));
  }
  if (h.dscale) {
    accumulate(bar_g, h.dscale * n);
    accumulate(bar_n, h.dscale * p.g);
  }
  if (h.dbias) accumulate(bar_g, h.dbias + zeros_like(p.x));
  if (bar_n) accumulate(bar_x, r * project(bar_n));
  return {bar_x, bar_scale, bar_g};
}

}  // namespace msjit::norm_words
