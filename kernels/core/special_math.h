// Special functions of one number that the C library lacks, in double precision.
#pragma once

#include <cmath>
#include <limits>

namespace msjit::special {

inline constexpr double kPi = 3.14159265358979323846;

// lgamma of the C library writes a global sign; this one does not.
inline double lgamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// The logarithmic derivative of the gamma function. The recurrence psi(x) = psi(x + 1) - 1/x goes
// up to x >= 10, then the asymptotic series is used (DLMF 5.11.2). Below 0 by reflection
// (DLMF 5.5.4).
inline double digamma(double x) {
  if (x != x || x == std::numeric_limits<double>::infinity()) return x;
  if (x <= 0) {
    if (x == 0) return -std::copysign(std::numeric_limits<double>::infinity(), x);
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    return digamma(1 - x) - kPi / std::tan(kPi * x);
  }
  double total = 0;
  for (; x < 10; x += 1) total -= 1 / x;
  const double r = 1 / (x * x);
  const double series =
      r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132)))));
  return total + std::log(x) - 0.5 / x - series;
}

// The Hurwitz zeta function: the sum over k >= 0 of (x + k)^-s for s > 1. Adds the first terms, and
// the rest by Euler-Maclaurin (DLMF 25.11.5). For x <= 0 it is infinite at integers; between them
// it is real when s is an integer.
inline double hurwitz_zeta(double s, double x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (s == 1) return kInfinity;
  if (!(s > 1) || x != x) return std::numeric_limits<double>::quiet_NaN();
  if (x == kInfinity) return 0;
  if (x <= 0) {
    const double part = x - std::floor(x);
    if (part == 0) return kInfinity;
    if (s != std::floor(s)) return std::numeric_limits<double>::quiet_NaN();
    // The terms below 0 are those from 1 - part to -x, with the sign of (-1)^s.
    const double below = hurwitz_zeta(s, 1 - part) - hurwitz_zeta(s, 1 - x);
    return hurwitz_zeta(s, part) + (std::fmod(s, 2) == 0 ? below : -below);
  }
  double total = 0;
  for (int k = 0; k < 12; ++k, x += 1) total += std::pow(x, -s);
  const double tail = std::pow(x, -s);
  total += tail * x / (s - 1) + 0.5 * tail;
  // B_2j / (2j)! for j = 1, 2, ...
  constexpr double kCoefficients[] = {1.0 / 12,         -1.0 / 720,     1.0 / 30240,
                                      -1.0 / 1209600,   1.0 / 47900160, -691.0 / 1307674368000,
                                      1.0 / 74724249600};
  double factor = s * tail / x;
  for (int j = 0; j < 7; ++j) {
    total += kCoefficients[j] * factor;
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (x * x);
  }
  return total;
}

// Second logarithmic derivative of the gamma function; below 0 by reflection (DLMF 5.15.6).
inline double trigamma(double x) {
  if (x > 0 || x != x) return x != x ? x : hurwitz_zeta(2, x);
  if (x == std::floor(x)) return std::numeric_limits<double>::infinity();
  const double sine = std::sin(kPi * x);
  return kPi * kPi / (sine * sine) - trigamma(1 - x);
}

// The inverse of erf: starts from the leading terms of its expansions and takes Halley steps.
inline double erfinv(double y) {
  if (!(std::fabs(y) < 1)) {
    return std::fabs(y) == 1 ? std::copysign(std::numeric_limits<double>::infinity(), y)
                             : std::numeric_limits<double>::quiet_NaN();
  }
  const double log_term = std::log1p(-y * y), half = 2 / (kPi * 0.147) + 0.5 * log_term;
  double x = std::copysign(std::sqrt(std::sqrt(half * half - log_term / 0.147) - half),
                           y);  // Winitzki's approximation
  for (int step = 0; step < 3; ++step) {
    // erf(x) - y, without cancellation when both are close to 1.
    const double gap = std::fabs(y) > 0.5
                           ? (y < 0 ? -1 : 1) * (1 - std::fabs(y) - std::erfc(std::fabs(x)))
                           : std::erf(x) - y;
    const double newton = gap / (2 / std::sqrt(kPi) * std::exp(-x * x));
    x -= newton / (1 + x * newton);
  }
  return y == 0 ? y : x;
}

}  // namespace msjit::special
