// The circular functions and their inverses, under the rules of scalar_words.h. sin, cos and tan
// are for float32 only. A float64 argument may need any of the first 1,200 bits of 2 / pi. Choosing
// these by selects and multiplying in three parts would cost every element more than the sine
// itself, for arguments that are rare. float64 is left to the C library.
#pragma once

#include "kernels/core/scalar_words.h"

namespace msjit {

template <class M>
class TrigWords : public MathWords<M> {
 public:
  using MathWords<M>::poly;

  template <class X>
  MSJIT_WORD X sin(X x) {
    const auto turn = quarter_turns(x);
    return sin_of(turn.rest, turn.count, M::bits(x) & kSign32);
  }
  template <class X>
  MSJIT_WORD X cos(X x) {
    const auto turn = quarter_turns(x);
    return sin_of(turn.rest, turn.count + 1, M::bits(x) & 0);
  }
  template <class X>
  MSJIT_WORD X tan(X x) {
    const auto turn = quarter_turns(x);
    const X s = sin_near(turn.rest), c = cos_near(turn.rest);
    const auto odd = is_odd(turn.count, x);  // -1 / tan
    const X quotient = M::select(odd, c, s) / M::select(odd, s, c);
    auto sign = M::shl(turn.count, 31) ^ (M::bits(x) & kSign32);
    return M::from_bits(M::bits(quotient) ^ sign);
  }
  template <class X>
  MSJIT_WORD X atan(X x) {
    return signed_as(x, atan_of_ratio(M::abs(x), M::constant(x, 1)));
  }
  // The angle of the point (x, y), as C's atan2(y, x).
  template <class X>
  MSJIT_WORD X atan2(X y, X x) {
    const X one = M::constant(x, 1);
    const X infinity = M::constant(x, std::numeric_limits<double>::infinity());
    const auto corner = (M::abs(x) == infinity) & (M::abs(y) == infinity);
    const X a = M::select(corner, one, M::abs(y)), b = M::select(corner, one, M::abs(x));
    // Their sum must not overflow, and no part of them may be lost as a denormal.
    const X most = M::max(a, b), up = M::constant(x, 0x1p60), down = M::constant(x, 0.25);
    const X scale = M::select(most > M::constant(x, 1e37), down,
                              M::select(most < M::constant(x, 1e-30), up, one));
    const X angle = atan_of_ratio(a * scale, b * scale);
    const X beyond = pi(x) - (angle - pi_rest(x));
    return signed_as(y, M::select(M::bits(x) < 0, beyond, angle));
  }
  template <class X>
  MSJIT_WORD X asin(X x) {
    const X a = M::abs(x), one = M::constant(x, 1);
    return signed_as(x, atan_of_ratio(a, M::sqrt((one - a) * (one + a))));
  }
  template <class X>
  MSJIT_WORD X acos(X x) {
    const X a = M::abs(x), one = M::constant(x, 1);
    const X angle = atan_of_ratio(M::sqrt((one - a) * (one + a)), a);
    return M::select(x < M::constant(x, 0), pi(x) - (angle - pi_rest(x)), angle);
  }

 protected:
  // `positive` with the sign of x.
  template <class X>
  MSJIT_WORD X signed_as(X x, X positive) {
    return M::from_bits(M::bits(positive) | (M::bits(x) & M::bits(M::constant(x, -0.0))));
  }

 private:
  static constexpr int32_t kSign32 = std::numeric_limits<int32_t>::min();

  // |x| = (4 i + count + f) pi / 2 and rest = f pi / 2, |f| <= 5 / 8. Only the two low bits of
  // count matter.
  template <class X, class I>
  struct QuarterTurns {
    X rest;
    I count;
  };
  // The method of Payne and Hanek ("Radian reduction for trigonometric functions", SIGNUM 1983), in
  // doubles. Below 2^50, |x| is multiplied by 2 / pi. Larger x are multiples of 2^27, 2^53 or 2^79,
  // so the multiples of 4 in that power times 2 / pi may be left out. Each factor is the sum of two
  // doubles. The first product minus its nearest integer is exact but for rounding.
  template <class X>
  MSJIT_WORD auto quarter_turns(X x) {
    auto a = M::to_double(M::abs(x));
    auto high = M::constant(a, 0x1.45f306dc9c883p-1), low = M::constant(a, -0x1.6b01ec5417056p-55);
    auto from = [&](double limit, double then_high, double then_low)
        __attribute__((always_inline)) {
      auto beyond = M::constant(a, limit) <= a;
      high = M::select(beyond, M::constant(a, then_high), high);
      low = M::select(beyond, M::constant(a, then_low), low);
    };
    from(0x1p50, -0x1.1b1bbead603d9p-28, 0x1.5f47d4d377037p-82);
    from(0x1p76, -0x1.5ac07b1505c16p-53, 0x1.a6ee06db14acdp-107);
    from(0x1p102, -0x1.505c1596447e5p-81, 0x1.b14acc9e21c82p-135);
    auto rounding = M::constant(a, 0x1.8p52);  // leaves the nearest integer in the low bits
    auto shifted = M::fma(a, high, rounding);
    auto f = M::fma(a, low, M::fma(a, high, rounding - shifted));
    X rest = M::to_float(f * M::constant(a, 1.57079632679489661923));
    auto count = M::cast_like(M::bits(shifted), M::bits(x));
    return QuarterTurns<X, decltype(count)>{rest, count};
  }
  // Chebyshev interpolants for |r| <= 0.985. These and those below come from
  // tests/tools/fit_polynomials.py.
  template <class X>
  MSJIT_WORD X sin_near(X r) {
    const X z = r * r;
    const X p = poly(z, -0.1666666664953803, 0.0083333276828581387, -0.00019838354834772025,
                     2.7075330141763838e-6);
    return M::fma(r * z, p, r);
  }
  template <class X>
  MSJIT_WORD X cos_near(X r) {
    const X z = r * r;
    return poly(z, 1, -0.5, 0.041666666652367405, -0.0013888884171913093, 2.4799154242236084e-5,
                -2.7155171459215528e-7);
  }
  // The low bit as a sign: GCC does not vectorise a test of one bit.
  template <class X, class I>
  MSJIT_WORD auto is_odd(I count, X like) {
    const X one = M::constant(like, 1);
    return M::from_bits(M::shl(count, 31) | M::bits(one)) < M::constant(like, 0);
  }
  // sin((count + f) pi / 2); `sign` flips the sign of the result.
  template <class X, class I>
  MSJIT_WORD X sin_of(X rest, I count, I sign) {
    const X value = M::select(is_odd(count, rest), cos_near(rest), sin_near(rest));
    return M::from_bits(M::bits(value) ^ M::shl(count & 2, 30) ^ sign);
  }

  // pi in the type of x, and the difference between the true pi and it.
  template <class X>
  MSJIT_WORD X pi(X x) {
    return M::constant(x, 3.14159265358979323846);
  }
  template <class X>
  MSJIT_WORD X pi_rest(X x) {
    return MSJIT_BY_WIDTH(x, pi_rest32, pi_rest64);
  }
  template <class X>
  MSJIT_WORD X pi_rest32(X x) {
    return M::constant(x, -8.7422780003724491e-8);
  }
  template <class X>
  MSJIT_WORD X pi_rest64(X x) {
    return M::constant(x, 1.2246467991473531772e-16);
  }
  // atan(a / b) of positive numbers. Beyond tan(pi / 8) it is computed relative to pi / 4 or pi /
  // 2, whichever is nearer: atan(a / b) = pi / 4 + atan((a - b) / (a + b)) = pi / 2 - atan(b / a).
  template <class X>
  MSJIT_WORD X atan_of_ratio(X a, X b) {
    const X zero = M::constant(a, 0), slope = M::constant(a, 0.41421356237309504880);
    const auto low = a <= slope * b, high = b < slope * a;
    const X top = M::select(low, a, M::select(high, -b, a - b));
    const X bottom = M::select(low, b, M::select(high, a, a + b));
    // 0 / 0 is an angle of 0.
    const X t = top / M::select(bottom == zero, M::constant(a, 1), bottom);
    const X eighths =
        M::select(low, zero, M::select(high, M::constant(a, 0.5), M::constant(a, 0.25)));
    const X near = M::fma(atan_tail(t * t), t * t * t, M::fma(eighths, pi_rest(a), t));
    return M::fma(eighths, pi(a), near);
  }
  // (atan t - t) / t^3 for z = t^2 <= tan(pi / 8)^2, by Chebyshev interpolants.
  template <class X>
  MSJIT_WORD X atan_tail(X z) {
    return MSJIT_BY_WIDTH(z, atan_tail32, atan_tail64);
  }
  template <class X>
  MSJIT_WORD X atan_tail32(X z) {
    return poly(z, -0.3333333176116825, 0.19999540483586849, -0.14263955595832561,
                0.10743731467530284, -0.064519281310290968);
  }
  template <class X>
  MSJIT_WORD X atan_tail64(X z) {
    return poly(z, -0.333333333333333332169, 0.199999999999998045261, -0.142857142856598275875,
                0.111111111051554447768, -0.0909090875350078783931, 0.0769229637502956897218,
                -0.0666642488569203422808, 0.0587892899730332471026, -0.0523045426673605977538,
                0.0455159320277182788775, -0.0345705615222392721249, 0.0162857563463337359397);
  }
};

}  // namespace msjit
