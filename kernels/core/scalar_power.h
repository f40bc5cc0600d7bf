// Powers and the hyperbolic functions, under the rules of scalar_words.h. The coefficients of the
// logarithms and of 2^r come from tests/tools/fit_polynomials.py.
#pragma once

#include "kernels/core/scalar_trig.h"

namespace msjit {

template <class M>
class PowerWords : public TrigWords<M> {
  using Words = MathWords<M>;
  using Words::power_of_two32, Words::power_of_two64;
  using Words::reduce32, Words::reduce64;
  using TrigWords<M>::signed_as;

 public:
  using Words::log1p, Words::poly;

  template <class X>
  MSJIT_WORD X sinh(X x) {
    return signed_as(x, MSJIT_BY_WIDTH(M::abs(x), sinh32, sinh64));
  }
  template <class X>
  MSJIT_WORD X cosh(X x) {
    return MSJIT_BY_WIDTH(M::abs(x), cosh32, cosh64);
  }
  // log(a + sqrt(a^2 + 1)) = log1p(a + a^2 / (1 + sqrt(a^2 + 1)))
  template <class X>
  MSJIT_WORD X asinh(X x) {
    const X one = M::constant(x, 1), a = M::abs(x), square = a * a;
    return signed_as(x, log1p_or_twice(a + square / (one + M::sqrt(square + one)), a));
  }
  // log(x + sqrt(x^2 - 1)), with t = x - 1
  template <class X>
  MSJIT_WORD X acosh(X x) {
    const X nan = M::constant(x, std::numeric_limits<double>::quiet_NaN());
    const X t = x - M::constant(x, 1);
    const X y = log1p_or_twice(t + M::sqrt(t * (t + M::constant(x, 2))), x);
    return M::select(t < M::constant(x, 0), nan, y);
  }
  template <class X>
  MSJIT_WORD X atanh(X x) {
    const X a = M::abs(x), one = M::constant(x, 1);
    const X twice = log1p((a + a) / (one - a));  // log((1 + a) / (1 - a))
    return signed_as(x, M::constant(x, 0.5) * twice);
  }
  // C's pow, special values included; x^2 is the square to the last bit.
  template <class X>
  MSJIT_WORD X pow(X x, X y) {
    const X zero = M::constant(x, 0), one = M::constant(x, 1);
    const X infinity = M::constant(x, std::numeric_limits<double>::infinity());
    const X nan = M::constant(x, std::numeric_limits<double>::quiet_NaN());
    const X a = M::abs(x), half = M::constant(x, 0.5) * y;
    const auto whole = M::trunc(y) == y, even = M::trunc(half) == half;
    const X size = M::by_width(
        x, [&](auto) __attribute__((always_inline)) { return pow32(a, y); },
        [&](auto) __attribute__((always_inline)) { return pow64(a, y); });
    const auto sign = M::bits(x) & M::bits(M::select(even, zero, M::constant(x, -0.0)));
    const X real = M::from_bits(M::bits(size) | M::select(whole, sign, sign & 0));
    const X finite = M::select((x < zero) & (a < infinity), M::select(whole, real, nan), real);
    const auto is_one = (y == zero) | (x == one) | ((a == one) & (M::abs(y) == infinity));
    return M::select(is_one, one, M::select(y == M::constant(x, 2), x * x, finite));
  }

 private:
  // log1p(y), or log(2 a) where a is so large that 1 is lost next to its square or the square
  // overflows.
  template <class X>
  MSJIT_WORD X log1p_or_twice(X y, X a) {
    const auto huge = M::constant(a, 0x1p60) < a;
    const X more = M::select(huge, M::constant(a, 0.69314718055994530942), M::constant(a, 0));
    return log1p(M::select(huge, a, y)) + more;
  }

  // --- sinh and cosh: with a = n ln 2 + r, u = 2^(n - 1) and v = 2^(-n - 1),
  // sinh a = (u - v) cosh r + (u + v) sinh r, cosh a = (u + v) cosh r + (u - v) sinh r.
  // u and v are without 2^half, so that they neither overflow nor vanish; min keeps NaN. ---
  template <class X>
  struct Split {
    X difference, sum, scale, r;
  };
  template <class X>
  MSJIT_WORD Split<X> split32(X a) {
    const X c = M::min(M::constant(a, 91), a);
    const X n = Words::nearest_multiple32(c);
    const X half = M::trunc(n * M::constant(a, 0.5)), below = n - half;
    const X u = power_of_two32(below - M::constant(a, 1));
    const X v = power_of_two32(M::max(M::constant(a, -126), -n - half - M::constant(a, 1)));
    return {u - v, u + v, power_of_two32(half), reduce32(c, n)};
  }
  template <class X>
  MSJIT_WORD Split<X> split64(X a) {
    const X c = M::min(M::constant(a, 712), a);
    const X n = Words::nearest_multiple64(c);
    const X half = M::trunc(n * M::constant(a, 0.5)), below = n - half;
    const X u = power_of_two64(below - M::constant(a, 1));
    const X v = power_of_two64(M::max(M::constant(a, -1022), -n - half - M::constant(a, 1)));
    return {u - v, u + v, power_of_two64(half), reduce64(c, n)};
  }
  template <class X>
  MSJIT_WORD X sinh_near32(X r) {
    return M::fma(poly(r * r, 1.0 / 6, 1.0 / 120, 1.0 / 5040), r * r * r, r);
  }
  template <class X>
  MSJIT_WORD X cosh_tail32(X r) {  // cosh r - 1
    return r * r * poly(r * r, 1.0 / 2, 1.0 / 24, 1.0 / 720, 1.0 / 40320);
  }
  template <class X>
  MSJIT_WORD X sinh_near64(X r) {
    const X tail = poly(r * r, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880, 1.0 / 39916800,
                        1.0 / 6227020800.0, 1.0 / 1307674368000.0);
    return M::fma(tail, r * r * r, r);
  }
  template <class X>
  MSJIT_WORD X cosh_tail64(X r) {
    return r * r *
           poly(r * r, 1.0 / 2, 1.0 / 24, 1.0 / 720, 1.0 / 40320, 1.0 / 3628800, 1.0 / 479001600,
                1.0 / 87178291200.0);
  }
  template <class X>
  MSJIT_WORD X sinh32(X a) {
    const Split<X> s = split32(a);
    const X rest = M::fma(s.difference, cosh_tail32(s.r), s.sum * sinh_near32(s.r));
    return (s.difference + rest) * s.scale;
  }
  template <class X>
  MSJIT_WORD X cosh32(X a) {
    const Split<X> s = split32(a);
    const X rest = M::fma(s.sum, cosh_tail32(s.r), s.difference * sinh_near32(s.r));
    return (s.sum + rest) * s.scale;
  }
  template <class X>
  MSJIT_WORD X sinh64(X a) {
    const Split<X> s = split64(a);
    const X rest = M::fma(s.difference, cosh_tail64(s.r), s.sum * sinh_near64(s.r));
    return (s.difference + rest) * s.scale;
  }
  template <class X>
  MSJIT_WORD X cosh64(X a) {
    const Split<X> s = split64(a);
    const X rest = M::fma(s.sum, cosh_tail64(s.r), s.difference * sinh_near64(s.r));
    return (s.sum + rest) * s.scale;
  }

  // --- a^y for a >= 0. float32 computes 2^(y log2 a) in doubles. These hold the result wherever
  // the float result is neither 0 nor infinite. ---
  template <class X>
  MSJIT_WORD X pow32(X a, X y) {
    auto product = log2_32(a) * M::to_double(y);
    auto w = M::max(M::constant(product, -200), M::min(M::constant(product, 200), product));
    auto shifted = w + M::constant(w, Words::kRound64);
    auto r = w - (shifted - M::constant(w, Words::kRound64));
    auto e = poly(r, 1, 0.69314718802622878, 0.24022650760568127, 0.055503571142190778,
                  0.0096180825572778515, 0.0013390863364671234, 0.0001545316294512069);
    auto scale = M::from_bits(M::shl(M::bits(shifted) + 1023, 52));
    return M::to_float(e * scale);
  }
  // log2 a = k + log2 m = k + 2 / ln 2 atanh((m - 1) / (m + 1)). Where the result is infinite or
  // NaN, `ends` holds it instead of k.
  template <class X>
  MSJIT_WORD auto log2_32(X a) {
    const X infinity = M::constant(a, std::numeric_limits<double>::infinity());
    const X zero = M::constant(a, 0);
    const auto parts = Words::binary32(a);
    const X ends = M::select(a < infinity, M::select(a == zero, -infinity, parts.k), a);
    auto m = M::to_double(parts.m);
    auto s = (m - M::constant(m, 1)) / (m + M::constant(m, 1));
    auto series = poly(s * s, 2.8853900817779268, 0.96179669230771034, 0.5770797741327228,
                       0.41190127601130689, 0.33658749446152561);
    return M::fma(s, series, M::to_double(ends));
  }

  // --- For float64 the logarithm is the sum of two doubles, good to some 68 bits. ---
  template <class X>
  struct Pair {
    X high, low;
  };
  template <class X>
  MSJIT_WORD X pow64(X a, X y) {
    const X infinity = M::constant(a, std::numeric_limits<double>::infinity());
    const Pair<X> l = log_pair(a);
    const X logarithm = M::select(a == M::constant(a, 0), -infinity, l.high);
    const X product = M::select(a < infinity, logarithm, a) * y;
    const X w = M::max(M::constant(a, -800), M::min(M::constant(a, 800), product));
    const X n = Words::nearest_multiple64(w), ln2_low = M::constant(a, -1.90821492927058770002e-10);
    const X above = M::fma(n, M::constant(a, -6.93147180369123816490e-01), w);  // exact
    const X r = M::fma(n, ln2_low, above);
    // What w and r lack, so that a result that float64 can hold exactly comes out exactly: x^1,
    // 10^3.
    const X rest = M::fma(l.low, y, M::fma(l.high, y, -product));
    const X low = M::fma(n, ln2_low, above - r) + M::select(w == product, rest, M::constant(a, 0));
    // e^(r + low) = 1 + r + tail + low e^r
    const X tail = Words::exp_tail64(r) * (r * r);
    const Pair<X> start = sum(M::constant(a, 1), r);
    const X e = start.high + (start.low + (tail + M::fma(low, r + tail, low)));
    const X half = M::trunc(n * M::constant(a, 0.5));
    return e * power_of_two64(half) * power_of_two64(n - half);
  }
  // log a = k ln 2 + log m and log m = s (2 + z (2 / 3 + z tail(z))) with s = (m - 1) / (m + 1) and
  // z = s^2. All but the tail is computed in pairs of doubles (Dekker, "A floating-point technique
  // for extending the available precision", Numerische Mathematik 18, 1971). k ln 2 is exact in its
  // first part.
  template <class X>
  MSJIT_WORD Pair<X> log_pair(X a) {
    const X one = M::constant(a, 1), two = M::constant(a, 2);
    const auto [m, k] = Words::binary64(a);
    const Pair<X> s = quotient(m - one, sum(one, m));
    const X z = s.high * s.high;
    const X z_low = M::fma(s.high, s.high, -z) + two * s.high * s.low;
    const X tail = z * poly(z, 0.39999999999999999817, 0.2857142857142936567, 0.2222222222165623134,
                            0.18181818335314446443, 0.15384594970890823898, 0.13334804238477393502,
                            0.11706248534172245776, 0.11723051098690482501);
    Pair<X> factor = sum(M::constant(a, 0x1.5555555555555p-1), tail);
    factor.low = factor.low + M::constant(a, 0x1.5555555555555p-55);
    const Pair<X> bend = product(Pair<X>{z, z_low}, factor);
    Pair<X> slope = sum(two, bend.high);
    slope.low = slope.low + bend.low;
    const Pair<X> log_m = product(s, slope);
    const Pair<X> whole = sum(k * M::constant(a, 0x1.62e42fefa3800p-1), log_m.high);
    const X rest = M::fma(k, M::constant(a, 0x1.ef35793c76730p-45), log_m.low);
    return sum(whole.high, whole.low + rest);
  }
  // a + b where |a| >= |b| or a = 0.
  template <class X>
  MSJIT_WORD Pair<X> sum(X a, X b) {
    const X high = a + b;
    return {high, (a - high) + b};
  }
  template <class X>
  MSJIT_WORD Pair<X> product(Pair<X> a, Pair<X> b) {
    const X high = a.high * b.high;
    const X crossed = M::fma(a.high, b.low, a.low * b.high);
    return {high, M::fma(a.high, b.high, -high) + crossed};
  }
  template <class X>
  MSJIT_WORD Pair<X> quotient(X a, Pair<X> b) {
    const X inverse = M::constant(a, 1) / b.high;
    const X high = a * inverse;
    const X left = M::fma(-high, b.low, M::fma(-high, b.high, a));
    return {high, left * inverse};
  }
};

}  // namespace msjit
