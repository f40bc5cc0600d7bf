// Accuracy of the mathematical functions against long double, and their special values.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/core/scalar_math.h"

namespace msjit {
namespace {

template <class T>
double ulps(T got, long double want) {
  T rounded = static_cast<T>(want);
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : 1e9;
  if (rounded == got) return 0;
  if (std::isinf(rounded) || std::isinf(got)) return 1e9;
  T size = std::fabs(rounded);
  T step = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
  return static_cast<double>(std::fabs((static_cast<long double>(got) - want) / step));
}

template <class T>
struct Range {
  T low, high;
};

template <class T, class F, class G>
void check(const char* name, F f, G reference, std::initializer_list<Range<double>> ranges,
           double allowed = 4) {
  std::mt19937_64 random(1);
  for (Range<double> range : ranges) {
    std::uniform_real_distribution<double> draw(range.low, range.high);
    double worst = 0;
    T at = 0;
    for (int i = 0; i < 100000; ++i) {
      T x = static_cast<T>(draw(random));
      double error = ulps<T>(f(Num<T>(x)).v, reference(static_cast<long double>(x)));
      if (error > worst) worst = error, at = x;
    }
    EXPECT_LE(worst, allowed) << name << (sizeof(T) == 4 ? " float32" : " float64") << " at " << at;
  }
  using L = std::numeric_limits<T>;
  for (T x : {T(0), -T(0), L::infinity(), -L::infinity(), L::quiet_NaN(), L::min(), L::denorm_min(),
              L::max(), L::lowest(), T(1), T(-1), T(1e-5), T(-1e-8)}) {
    T got = f(Num<T>(x)).v;
    T want = static_cast<T>(reference(static_cast<long double>(x)));
    EXPECT_LE(ulps<T>(got, reference(static_cast<long double>(x))), allowed)
        << name << "(" << x << ") = " << got << ", not " << want;
    EXPECT_TRUE(want != 0 || std::signbit(got) == std::signbit(want)) << name << "(" << x << ")";
  }
}

template <class T>
void check_all() {
  using M = NativeMath<T>;
  constexpr bool kFloat = sizeof(T) == 4;
  const double top = kFloat ? 88.7 : 709.7;
  check<T>(
      "exp", [](auto x) { return M::exp(x); }, [](long double x) { return expl(x); },
      {{kFloat ? -87.0 : -708.0, top}, {-2, 2}});
  check<T>(
      "expm1", [](auto x) { return M::expm1(x); }, [](long double x) { return expm1l(x); },
      {{-20, top}, {-1, 1}, {-1e-3, 1e-3}});
  check<T>(
      "log", [](auto x) { return M::log(x); }, [](long double x) { return logl(x); },
      {{0, 10}, {0.9, 1.1}, {0, 1e30}});
  check<T>(
      "log1p", [](auto x) { return M::log1p(x); }, [](long double x) { return log1pl(x); },
      {{-0.9, 3}, {-1e-3, 1e-3}, {0, 1e20}});
  check<T>(
      "tanh", [](auto x) { return M::tanh(x); }, [](long double x) { return tanhl(x); },
      {{-10, 10}, {-0.7, 0.7}, {-1e-3, 1e-3}});
  check<T>(
      "erf", [](auto x) { return M::erf(x); }, [](long double x) { return erfl(x); },
      {{-5, 5}, {-1, 1}, {-1e-3, 1e-3}});
}

template <class T>
void check_hyperbolic() {
  using M = NativeMath<T>;
  const double top = sizeof(T) == 4 ? 89.41 : 710.47;
  check<T>(
      "sinh", [](auto x) { return M::sinh(x); }, [](long double x) { return sinhl(x); },
      {{-top, top}, {-1, 1}, {-1e-3, 1e-3}, {top - 1, top}});
  check<T>(
      "cosh", [](auto x) { return M::cosh(x); }, [](long double x) { return coshl(x); },
      {{-top, top}, {-1, 1}, {top - 1, top}});
  check<T>(
      "asinh", [](auto x) { return M::asinh(x); }, [](long double x) { return asinhl(x); },
      {{-3, 3}, {-1e-2, 1e-2}, {0, 1e10}, {0, 1e37}});
  check<T>(
      "acosh", [](auto x) { return M::acosh(x); }, [](long double x) { return acoshl(x); },
      {{1, 3}, {1, 1.001}, {0, 1e10}, {0, 1e37}});
  check<T>(
      "atanh", [](auto x) { return M::atanh(x); }, [](long double x) { return atanhl(x); },
      {{-1, 1}, {-1e-2, 1e-2}, {0.999, 1.001}});
}

template <class T>
void check_inverse_circular() {
  using M = NativeMath<T>;
  check<T>(
      "atan", [](auto x) { return M::atan(x); }, [](long double x) { return atanl(x); },
      {{-3, 3}, {-0.5, 0.5}, {-100, 100}, {0, 1e30}});
  check<T>(
      "asin", [](auto x) { return M::asin(x); }, [](long double x) { return asinl(x); },
      {{-1, 1}, {-1e-3, 1e-3}, {0.999, 1.001}});
  check<T>(
      "acos", [](auto x) { return M::acos(x); }, [](long double x) { return acosl(x); },
      {{-1, 1}, {-1e-3, 1e-3}, {0.999, 1.001}, {-1.001, -0.999}});
}

TEST(ScalarWords, Float32Accuracy) { check_all<float>(); }
TEST(ScalarWords, Float64Accuracy) { check_all<double>(); }
TEST(ScalarWords, Float32Hyperbolic) { check_hyperbolic<float>(); }
TEST(ScalarWords, Float64Hyperbolic) { check_hyperbolic<double>(); }
TEST(ScalarWords, Float32InverseCircular) { check_inverse_circular<float>(); }
TEST(ScalarWords, Float64InverseCircular) { check_inverse_circular<double>(); }

TEST(ScalarWords, Float32Circular) {
  using M = NativeMath<float>;
  check<float>(
      "sin", [](auto x) { return M::sin(x); }, [](long double x) { return sinl(x); },
      {{-4, 4}, {-1e-3, 1e-3}, {-1000, 1000}});
  check<float>(
      "cos", [](auto x) { return M::cos(x); }, [](long double x) { return cosl(x); },
      {{-4, 4}, {-1000, 1000}});
  check<float>(
      "tan", [](auto x) { return M::tan(x); }, [](long double x) { return tanl(x); },
      {{-4, 4}, {-1e-3, 1e-3}, {-1000, 1000}});
}

// Floats of every exponent and sign, evenly by their bits, and those around the multiples of pi
// / 2.
std::vector<float> floats_of_all_sizes() {
  std::vector<float> all;
  for (uint32_t bits = 0; bits < 0xffff0000u; bits += 8209) {
    float x = std::bit_cast<float>(bits);
    if (std::isfinite(x)) all.push_back(x);
  }
  for (int i = 1; i < 2000; ++i) {
    for (double scale : {1.0, 4096.0, 1.3e9, 7e21}) {
      float near = static_cast<float>(i * scale * 1.57079632679489661923);
      for (float x : {near, std::nextafter(near, 0.0f), std::nextafter(near, 1e38f)})
        all.push_back(x);
    }
  }
  return all;
}

TEST(ScalarWords, CircularFunctionsOfEverySize) {
  using M = NativeMath<float>;
  double worst[3] = {};
  for (float x : floats_of_all_sizes()) {
    const Num<float> n(x);
    const double errors[] = {ulps<float>(M::sin(n).v, sinl(x)), ulps<float>(M::cos(n).v, cosl(x)),
                             ulps<float>(M::tan(n).v, tanl(x))};
    for (int i = 0; i < 3; ++i) worst[i] = std::max(worst[i], errors[i]);
  }
  for (double error : worst) EXPECT_LE(error, 4);
  // No other float is so near to a multiple of pi / 2: 1.6e-9, by a search through all of them.
  EXPECT_LE(ulps<float>(M::cos(Num<float>(0x1.f37c8ap+95f)).v, cosl(0x1.f37c8ap+95L)), 4);
}

template <class T>
std::vector<T> special_values() {
  using L = std::numeric_limits<T>;
  const T whole = std::ldexp(T(1), L::digits);  // from here on all floats are even
  std::vector<T> values;
  for (T x : {T(0),
              T(1),
              T(2),
              T(3),
              T(0.5),
              T(1.5),
              L::infinity(),
              L::quiet_NaN(),
              L::denorm_min(),
              L::min(),
              L::max(),
              whole,
              whole - 1,
              whole / 2 - T(0.5),
              T(1e30),
              std::nextafter(T(1), T(2)),
              std::nextafter(T(1), T(0)),
              T(1) / 3,
              T(127),
              T(150)}) {
    values.push_back(x);
    values.push_back(-x);
  }
  return values;
}

// f(x, y) against C's function of two numbers: on all pairs of special values, and at random.
template <class T, class F, class G>
void check_binary(F f, G reference,
                  std::initializer_list<std::pair<Range<double>, Range<double>>> ranges) {
  auto compare = [&](T x, T y) {
    T got = f(Num<T>(x), Num<T>(y)).v;
    long double want = reference(static_cast<long double>(x), static_cast<long double>(y));
    ASSERT_LE(ulps<T>(got, want), 4) << "(" << x << ", " << y << ") = " << got;
    ASSERT_TRUE(std::isnan(want) || std::signbit(got) == std::signbit(want))
        << "(" << x << ", " << y << ") = " << got;
  };
  for (T x : special_values<T>())
    for (T y : special_values<T>()) compare(x, y);
  std::mt19937_64 random(1);
  for (auto [first, second] : ranges) {
    std::uniform_real_distribution<double> x(first.low, first.high), y(second.low, second.high);
    for (int i = 0; i < 100000; ++i) compare(static_cast<T>(x(random)), static_cast<T>(y(random)));
  }
}

template <class T>
void check_pow_and_atan2() {
  using M = NativeMath<T>;
  const double steep = sizeof(T) == 4 ? 800 : 6000;
  check_binary<T>([](auto x, auto y) { return M::pow(x, y); },
                  [](long double x, long double y) { return powl(x, y); },
                  {{{0, 10}, {-10, 10}}, {{0.9, 1.1}, {-steep, steep}}, {{0, 1e30}, {-2, 2}}});
  check_binary<T>([](auto y, auto x) { return M::atan2(y, x); },
                  [](long double y, long double x) { return atan2l(y, x); },
                  {{{-3, 3}, {-3, 3}}, {{-1, 1}, {-1e20, 1e20}}});
}

TEST(ScalarWords, Float32PowAndAtan2) { check_pow_and_atan2<float>(); }
TEST(ScalarWords, Float64PowAndAtan2) { check_pow_and_atan2<double>(); }

TEST(ScalarWords, SquareByPowIsExact) {
  for (int i = 1; i < 100000; ++i) {
    const float x = 0.37f * static_cast<float>(i);
    ASSERT_EQ(NativeMath<float>::pow(Num<float>(x), Num<float>(2)).v, x * x);
    ASSERT_EQ(NativeMath<double>::pow(Num<double>(0.37 * i), Num<double>(2)).v,
              (0.37 * i) * (0.37 * i));
  }
}

TEST(ScalarWords, IntegersDoNotTrap) {
  using I = Num<int32_t>;
  I low(std::numeric_limits<int32_t>::min());
  EXPECT_EQ((low / I(-1)).v, low.v);
  EXPECT_EQ((I(7) / I(0)).v, 0);
  EXPECT_EQ(NativeMath<int32_t>::rem(low, I(-1)).v, 0);
  EXPECT_EQ(NativeMath<int32_t>::rem(I(7), I(0)).v, 0);
  EXPECT_EQ((low - I(1)).v, std::numeric_limits<int32_t>::max());
}

TEST(ScalarWords, FloatsAreCutAsInNumPy) {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  for (float beyond : {1e20f, -1e20f, 0x1p31f, HUGE_VALF, std::nanf("")})
    EXPECT_EQ(convert_value<int32_t>(beyond), std::numeric_limits<int32_t>::min());
  for (double beyond : {9.3e18, -9.3e18, HUGE_VAL, std::nan("")})
    EXPECT_EQ(convert_value<int64_t>(beyond), kLowest);
  EXPECT_EQ(convert_value<int32_t>(-0x1p31), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(convert_value<int32_t>(0x1p31 - 1), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(convert_value<int8_t>(126.9), 126);
  EXPECT_EQ(convert_value<int8_t>(200.0f), -56);
  EXPECT_EQ(convert_value<uint8_t>(-3.7), 253);
  EXPECT_EQ(convert_value<uint8_t>(300.0f), 44);
  EXPECT_EQ(convert_value<uint8_t>(std::nanf("")), 0);
  EXPECT_EQ(convert_value<int16_t>(1e20), 0);
  EXPECT_EQ(convert_value<uint32_t>(-5.0f), 4294967291u);
  EXPECT_EQ(convert_value<uint32_t>(3e9f), 3000000000u);
  EXPECT_EQ(convert_value<uint32_t>(5e9), 0u);
  EXPECT_EQ(convert_value<uint64_t>(-5.0), 18446744073709551611u);
  EXPECT_EQ(convert_value<uint64_t>(1.5e19), 15000000000000000000u);
  EXPECT_EQ(convert_value<uint64_t>(1e20), 0u);
  EXPECT_EQ(convert_value<uint64_t>(std::nan("")), uint64_t{1} << 63);
  EXPECT_TRUE(convert_value<bool>(std::nan("")));
}

}  // namespace
}  // namespace msjit
