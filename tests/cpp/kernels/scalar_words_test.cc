// Accuracy of the mathematical functions against long double, and their special values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

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
    if (want == 0) EXPECT_EQ(std::signbit(got), std::signbit(want)) << name << "(" << x << ")";
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

TEST(ScalarWords, Float32Accuracy) { check_all<float>(); }
TEST(ScalarWords, Float64Accuracy) { check_all<double>(); }

TEST(ScalarWords, IntegersDoNotTrap) {
  using I = Num<int32_t>;
  I low(std::numeric_limits<int32_t>::min());
  EXPECT_EQ((low / I(-1)).v, low.v);
  EXPECT_EQ((I(7) / I(0)).v, 0);
  EXPECT_EQ(NativeMath<int32_t>::rem(low, I(-1)).v, 0);
  EXPECT_EQ(NativeMath<int32_t>::rem(I(7), I(0)).v, 0);
  EXPECT_EQ((low - I(1)).v, std::numeric_limits<int32_t>::max());
}

TEST(ScalarWords, ConversionsSaturate) {
  EXPECT_EQ(convert_value<int32_t>(1e20f), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(convert_value<int32_t>(-1e20f), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(convert_value<int64_t>(9.3e18), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(convert_value<uint8_t>(-3.0), 0);
  EXPECT_EQ(convert_value<int8_t>(126.9), 126);
  EXPECT_EQ(convert_value<int32_t>(std::nan("")), 0);
  EXPECT_TRUE(convert_value<bool>(std::nan("")));
}

}  // namespace
}  // namespace msjit
