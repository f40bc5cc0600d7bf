// Functions of one element, written once over the primitives of NativeMath and SymMath. They are
// branch-free, so that loops over them vectorise. Every fused multiply-add is explicit, so that
// eager and compiled results have the same bits. Accuracy is within 4 ulp, as measured in
// docs/accuracy.md and tested in tests/cpp/kernels/scalar_words_test.cc. Polynomials are Taylor
// series on the reduced range, or Chebyshev interpolants computed with 50 digits. Special values
// follow C's math library. The circular functions are in scalar_trig.h, powers and hyperbolic
// functions in scalar_power.h.
#pragma once

#include <cstdint>
#include <limits>

namespace msjit {

// A function call that remains in a loop keeps it from being vectorised.
#define MSJIT_WORD [[gnu::always_inline]] static inline
#define MSJIT_BY_WIDTH(x, f32, f64)                                    \
  M::by_width(                                                         \
      x, [](auto v) __attribute__((always_inline)) { return f32(v); }, \
      [](auto v) __attribute__((always_inline)) { return f64(v); })

template <class M>
class MathWords {
 public:
  // c0 + c1 x + ... by Horner's rule. Recursive, because GCC would unroll a loop over the
  // coefficients too late to vectorise.
  template <class X>
  MSJIT_WORD X poly(X x, double c) {
    return M::constant(x, c);
  }
  template <class X, class... Rest>
  MSJIT_WORD X poly(X x, double c, Rest... rest) {
    return M::fma(poly(x, rest...), x, M::constant(x, c));
  }

  template <class X>
  MSJIT_WORD X exp(X x) {
    return MSJIT_BY_WIDTH(x, exp32, exp64);
  }
  // e^x - 1 without cancellation near 0.
  template <class X>
  MSJIT_WORD X expm1(X x) {
    const X y = MSJIT_BY_WIDTH(x, expm1_32, expm1_64);
    return M::select(x == M::constant(x, 0), x, y);  // keeps the sign of zero
  }
  template <class X>
  MSJIT_WORD X log(X x) {
    return MSJIT_BY_WIDTH(x, log32, log64);
  }
  // Kahan's correction of log(1 + x) for the rounding of 1 + x.
  template <class X>
  MSJIT_WORD X log1p(X x) {
    const X one = M::constant(x, 1);
    const X u = one + x;
    const X d = u - one;
    const X corrected = log(u) * (x / M::select(d == M::constant(x, 0), one, d));
    const X limit = M::constant(x, std::numeric_limits<double>::infinity());
    return M::select(u == one, x, M::select(u == limit, u, corrected));
  }
  template <class X>
  MSJIT_WORD X tanh(X x) {
    return MSJIT_BY_WIDTH(x, tanh32, tanh64);
  }
  template <class X>
  MSJIT_WORD X sigmoid(X x) {
    const X one = M::constant(x, 1);
    return one / (one + exp(-x));
  }
  template <class X>
  MSJIT_WORD X erf(X x) {
    return MSJIT_BY_WIDTH(x, erf32, erf64);
  }
  // NumPy's maximum and minimum: a NaN operand wins.
  template <class X>
  MSJIT_WORD X nan_max(X a, X b) {
    return M::select(a != a, a, M::select(a > b, a, b));
  }
  template <class X>
  MSJIT_WORD X nan_min(X a, X b) {
    return M::select(a != a, a, M::select(a < b, a, b));
  }

 protected:
  // --- float32 ---
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  static constexpr double kRound32 = 12582912.0;

  // 2^n for an integer-valued n with |n| <= 126, made from exponent bits.
  template <class X>
  MSJIT_WORD X power_of_two32(X n) {
    auto bits = M::bits(n + M::constant(n, kRound32));
    return M::from_bits(M::shl(bits + 127, 23));
  }
  template <class X>
  MSJIT_WORD X nearest_multiple32(X x) {  // of ln 2
    const X shifted = M::fma(x, M::constant(x, 1.44269504088896341), M::constant(x, kRound32));
    return shifted - M::constant(x, kRound32);
  }
  template <class X>
  MSJIT_WORD X reduce32(X x, X n) {
    const X r = M::fma(n, M::constant(x, -0.693359375), x);
    return M::fma(n, M::constant(x, 2.12194440054690583e-4), r);
  }
  // (e^r - 1 - r) / r^2 on |r| <= ln 2 / 2
  template <class X>
  MSJIT_WORD X exp_tail32(X r) {
    return poly(r, 0.5, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040);
  }
  template <class X>
  MSJIT_WORD X exp32(X x) {
    const X low = M::constant(x, -104), high = M::constant(x, 89);
    const X c = M::min(M::max(x, low), high);
    const X n = nearest_multiple32(c);
    const X r = reduce32(c, n);
    const X e = M::fma(exp_tail32(r), r * r, r) + M::constant(x, 1);
    const X half = M::trunc(n * M::constant(x, 0.5));  // in two steps, for results near both ends
    const X y = e * power_of_two32(half) * power_of_two32(n - half);
    return M::select(x == x, y, x);
  }
  template <class X>
  MSJIT_WORD X expm1_32(X x) {
    const X c = M::min(M::max(x, M::constant(x, -40)), M::constant(x, 89));
    const X n = nearest_multiple32(c);
    const X r = reduce32(c, n);
    const X p = M::fma(exp_tail32(r), r * r, r);
    const X half = M::trunc(n * M::constant(x, 0.5));
    const X s = power_of_two32(half), t = power_of_two32(n - half);
    // (p + 1) s t - 1 = (p s + (s - 1 / t)) t
    const X inverse = power_of_two32(half - n);
    const X y = M::fma(p, s, s - inverse) * t;
    return M::select(x == x, y, x);
  }
  // tanh|x| = t / (t + 2) with t = e^2|x| - 1. For |x| of 22 and more it is 1.
  template <class X>
  MSJIT_WORD X tanh64(X x) {
    const X a = M::min(M::abs(x), M::constant(x, 22));
    const X t = expm1(a + a);
    const X positive = t / (t + M::constant(x, 2));
    const X odd = M::select(x < M::constant(x, 0), -positive, positive);
    return M::select(x == x, M::select(x == M::constant(x, 0), x, odd), x);
  }
  // As tanh64, with e^2|x| - 1 computed here: it is 1 from 10 on, so 2^n needs no second step.
  template <class X>
  MSJIT_WORD X tanh32(X x) {
    const X a = M::min(M::abs(x), M::constant(x, 10));
    const X c = a + a;
    const X n = nearest_multiple32(c);
    const X r = reduce32(c, n);
    const X s = power_of_two32(n);
    const X t = M::fma(M::fma(exp_tail32(r), r * r, r), s, s - M::constant(x, 1));
    const X positive = t / (t + M::constant(x, 2));
    auto sign = M::bits(x) & std::numeric_limits<int32_t>::min();
    return M::select(x == x, M::from_bits(M::bits(positive) | sign), x);
  }
  // x = m 2^k with m in [sqrt(1/2), sqrt(2)) for finite positive x. For other x, m stays in that
  // range too.
  template <class X>
  struct Binary {
    X m, k;
  };
  template <class X>
  MSJIT_WORD Binary<X> binary32(X x) {
    const auto small = x < M::constant(x, 1.17549435082228750797e-38);
    const X scaled = M::select(small, x * M::constant(x, 33554432.0), x);  // 2^25
    auto bits = M::bits(scaled);
    auto exponent = M::shr(bits - 0x3f3504f3, 23);
    const X shift = M::select(small, M::constant(x, 25), M::constant(x, 0));
    return {M::from_bits(bits - M::shl(exponent, 23)), M::to_float(exponent) - shift};
  }
  template <class X>
  MSJIT_WORD X log32(X x) {
    const auto [m, k] = binary32(x);
    const X f = m - M::constant(x, 1);
    const X s = f / (f + M::constant(x, 2));
    const X z = s * s;
    const X series = z * poly(z, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11);
    const X y = combine_log(f, s, series, k, 0.693359375, -2.12194440054690583e-4);
    return log_special(x, y);
  }
  // log m = f - f^2/2 + s (f^2/2 + series), then k ln 2 in two parts.
  template <class X>
  MSJIT_WORD X combine_log(X f, X s, X series, X k, double ln2_high, double ln2_low) {
    const X h = M::constant(f, 0.5) * f * f;
    const X low = M::fma(s, h + series, k * M::constant(f, ln2_low));
    return M::fma(k, M::constant(f, ln2_high), f - (h - low));
  }
  template <class X>
  MSJIT_WORD X log_special(X x, X y) {
    const X zero = M::constant(x, 0);
    const X infinity = M::constant(x, std::numeric_limits<double>::infinity());
    const X nan = M::constant(x, std::numeric_limits<double>::quiet_NaN());
    const X at_ends = M::select(x == zero, -infinity, M::select(x == infinity, x, y));
    return M::select(x < zero, nan, M::select(x == x, at_ends, x));
  }
  template <class X>
  MSJIT_WORD X erf32(X x) {
    const X a = M::min(M::abs(x), M::constant(x, 4));
    const X z = a * a;
    const X near =
        a * poly(z, 1.128379165848350946, -0.37612626666720331023, 0.11283594715160217732,
                 -0.026854212010626412443, 0.0051890874234339739861, -0.00080168642871658695293,
                 0.000078758750626854883411);
    const X u = (a - M::constant(x, 2)) / (a + M::constant(x, 2));
    const X tail = poly(u, 0.25539567631050574387, -0.42718598976848669643, 0.24165820152556019554,
                        -0.078968306127934728421, 0.003732371758939544441, 0.0068111401310856345634,
                        -0.0008379754387023134563);
    return erf_join(x, a, near, tail, exp32(-z));
  }
  template <class X>
  MSJIT_WORD X erf_join(X x, X a, X near, X tail, X gauss) {
    const X one = M::constant(x, 1);
    const X far = one - gauss * tail;
    const X positive = M::select(a < one, near, far);
    const X odd = M::select(x < M::constant(x, 0), -positive, positive);
    return M::select(x == x, M::select(x == M::constant(x, 0), x, odd), x);
  }

  // --- float64, the same methods ---
  static constexpr double kRound64 = 6755399441055744.0;  // 1.5 * 2^52

  template <class X>
  MSJIT_WORD X power_of_two64(X n) {  // |n| <= 1022
    auto bits = M::bits(n + M::constant(n, kRound64));
    return M::from_bits(M::shl(bits + 1023, 52));
  }
  template <class X>
  MSJIT_WORD X nearest_multiple64(X x) {
    const X shifted = M::fma(x, M::constant(x, 1.44269504088896341), M::constant(x, kRound64));
    return shifted - M::constant(x, kRound64);
  }
  template <class X>
  MSJIT_WORD X reduce64(X x, X n) {
    const X r = M::fma(n, M::constant(x, -6.93147180369123816490e-01), x);
    return M::fma(n, M::constant(x, -1.90821492927058770002e-10), r);
  }
  template <class X>
  MSJIT_WORD X exp_tail64(X r) {
    return poly(r, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320,
                1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0);
  }
  template <class X>
  MSJIT_WORD X exp64(X x) {
    const X c = M::min(M::max(x, M::constant(x, -746)), M::constant(x, 710));
    const X n = nearest_multiple64(c);
    const X r = reduce64(c, n);
    const X e = M::fma(exp_tail64(r), r * r, r) + M::constant(x, 1);
    const X half = M::trunc(n * M::constant(x, 0.5));
    const X y = e * power_of_two64(half) * power_of_two64(n - half);
    return M::select(x == x, y, x);
  }
  template <class X>
  MSJIT_WORD X expm1_64(X x) {
    const X c = M::min(M::max(x, M::constant(x, -80)), M::constant(x, 710));
    const X n = nearest_multiple64(c);
    const X r = reduce64(c, n);
    const X p = M::fma(exp_tail64(r), r * r, r);
    const X half = M::trunc(n * M::constant(x, 0.5));
    const X s = power_of_two64(half), t = power_of_two64(n - half);
    const X y = M::fma(p, s, s - power_of_two64(half - n)) * t;
    return M::select(x == x, y, x);
  }
  template <class X>
  MSJIT_WORD Binary<X> binary64(X x) {
    const auto small = x < M::constant(x, 2.2250738585072014e-308);
    const X scaled = M::select(small, x * M::constant(x, 18014398509481984.0), x);  // 2^54
    auto bits = M::bits(scaled);
    auto exponent = M::shr(bits - 0x3fe6a09e667f3bcdLL, 52);
    // AVX2 cannot convert 64-bit integers: the exponent becomes the low bits of 1.5 * 2^52 instead.
    const X whole = M::from_bits(exponent + 0x4338000000000000LL) - M::constant(x, kRound64);
    const X shift = M::select(small, M::constant(x, 54), M::constant(x, 0));
    return {M::from_bits(bits - M::shl(exponent, 52)), whole - shift};
  }
  template <class X>
  MSJIT_WORD X log64(X x) {
    const auto [m, k] = binary64(x);
    const X f = m - M::constant(x, 1);
    const X s = f / (f + M::constant(x, 2));
    const X z = s * s;
    const X series = z * poly(z, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15,
                              2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23);
    const X y =
        combine_log(f, s, series, k, 6.93147180369123816490e-01, 1.90821492927058770002e-10);
    return log_special(x, y);
  }
  template <class X>
  MSJIT_WORD X erf64(X x) {
    const X a = M::min(M::abs(x), M::constant(x, 6));
    const X z = a * a;
    const X near =
        a * poly(z, 1.1283791670955125739, -0.37612638903183752379, 0.11283791670955120236,
                 -0.026866170645129840806, 0.0052239776254232983087, -0.00085483270219348295955,
                 0.0001205533290288873541, -0.000014925647567519332125, 1.6462045441468418937e-6,
                 -1.6364642158167615302e-7, 1.4792401209404813002e-8, -1.2164560057283450081e-9,
                 8.7090451290531066896e-11, -4.2309458242953378173e-12);
    const X u = (a - M::constant(x, 2)) / (a + M::constant(x, 2));
    const X tail =
        poly(u, 0.25539567631050574375, -0.42718584741395839652, 0.24165819424246646392,
             -0.078978581015732125421, 0.0037328924043277639248, 0.0069974617392004437674,
             -0.00084714325092038440093, -0.00098197702656788892271, 0.000043555602195154722071,
             0.00017436116545392263717, 0.000027525480361206066702, -0.000027579864674305785854,
             -0.000013968072301771460689, 1.3926211836188029348e-6, 3.7892156437584639713e-6,
             1.1780775215625582588e-6, -5.3226968556557863375e-7, -4.2153010542383209882e-7);
    return erf_join(x, a, near, tail, exp64(-z));
  }
};

}  // namespace msjit
