// Reductions over every subset of axes, layout and dtype; accuracy; empty axes; gradients.
#include <cmath>

#include "kernels/op_test.h"

namespace msjit::op_test {
namespace {

// Reference over row-major doubles.
Doubles reduce(const Tensor& t, const IntList& axes, double start, double (*fold)(double, double)) {
  Doubles values = values_of(t);
  bool reduced[kMaxRank] = {};
  for (int64_t a : axes) reduced[a] = true;
  int64_t count = 1;
  for (int i = 0; i < t.rank(); ++i)
    if (!reduced[i]) count *= t.dim(i);
  Doubles out(count, start);
  for (size_t flat = 0; flat < values.size(); ++flat) {
    int64_t rest = static_cast<int64_t>(flat), index = 0, step = 1;
    for (int i = t.rank() - 1; i >= 0; --i) {
      if (!reduced[i]) index += rest % t.dim(i) * step, step *= t.dim(i);
      rest /= t.dim(i);
    }
    out[index] = fold(out[index], values[flat]);
  }
  return out;
}

void check_axes(const Tensor& t) {
  for (int mask = 1; mask < 1 << t.rank(); ++mask) {
    IntList axes;
    for (int i = 0; i < t.rank(); ++i)
      if (mask >> i & 1) axes.push_back(i);
    struct Case {
      const char* name;
      double start;
      double (*fold)(double, double);
    };
    constexpr double kHuge = 1e300;
    const Case cases[] = {{"sum", 0, [](double a, double b) { return a + b; }},
                          {"prod", 1, [](double a, double b) { return a * b; }},
                          {"max", -kHuge, [](double a, double b) { return std::max(a, b); }},
                          {"min", kHuge, [](double a, double b) { return std::min(a, b); }}};
    for (const Case& c : cases) {
      Doubles want = reduce(t, axes, c.start, c.fold),
              got = values_of(run(c.name, {t}, {AttrValue(axes), AttrValue(false)}));
      ASSERT_EQ(want.size(), got.size());
      for (size_t i = 0; i < want.size(); ++i)
        ASSERT_NEAR(got[i], want[i], 1e-5 * std::max(1.0, std::abs(want[i])))
            << c.name << " mask " << mask;
    }
  }
}

TEST(Reduce, EverySubsetOfAxes) {
  check_axes(random({3, 4, 5, 2}));
  check_axes(random({3, 4, 5}, DType::kInt32, -3, 4));
  check_axes(random({2, 100, 3}, DType::kFloat64));
  Tensor base = random({4, 5, 6});
  check_axes(Tensor::view(base, Shape{6, 4, 3}, Shape{1, 30, 12}, 0));
}

TEST(Reduce, LongSumsStayAccurate) {
  Tensor t = Tensor::empty(DType::kFloat32, Shape{1000000}).take();
  double exact = 0;
  for (int i = 0; i < 1000000; ++i) {
    float v = 0.1f + 1e-3f * static_cast<float>(i % 97);
    t.data_as<float>()[i] = v;
    exact += v;
  }
  EXPECT_NEAR(values_of(run("sum", {t}))[0] / exact, 1, 2e-7);
  Tensor tall = Tensor::view(t, Shape{100000, 10}, Shape{10, 1}, 0);
  double total = 0;
  for (double v : values_of(run("sum", {tall}, {ints({0})}))) total += v;
  EXPECT_NEAR(total / exact, 1, 1e-6);
  EXPECT_NEAR(values_of(run("mean", {as(t, DType::kFloat16)}))[0], exact / 1e6, 1e-3);
}

TEST(Reduce, DtypesOfResults) {
  for (DType d : {DType::kBool, DType::kUInt8, DType::kInt32, DType::kInt64}) {
    EXPECT_EQ(run("sum", {iota({4}, d)}).dtype(), DType::kInt64);
    EXPECT_EQ(run("prod", {iota({4}, d)}).dtype(), DType::kInt64);
  }
  EXPECT_EQ(values_of(run("sum", {as(iota({300}), DType::kBool)}))[0], 299);
  EXPECT_EQ(run("sum", {random({4}, DType::kFloat16)}).dtype(), DType::kFloat16);
  EXPECT_EQ(run("any", {random({4})}).dtype(), DType::kBool);
  EXPECT_EQ(run("argmax", {random({4})}).dtype(), DType::kInt64);
}

TEST(Reduce, EmptyAxes) {
  EXPECT_EQ(values_of(run("sum", {random({0})})), Doubles{0});
  EXPECT_EQ(values_of(run("prod", {random({2, 0})}, {ints({1})})), (Doubles{1, 1}));
  EXPECT_EQ(values_of(run("all", {random({0})})), Doubles{1});
  EXPECT_EQ(run("max", {random({0, 3})}, {ints({1})}).shape().str(), "(0,)");
  EXPECT_EQ(error_of("max", {random({0, 3})}).substr(0, 33), "ValueError: [max] cannot reduce a");
  EXPECT_EQ(error_of("argmin", {random({0})}).substr(0, 18), "ValueError: [argmi");
  EXPECT_TRUE(std::isnan(values_of(run("mean", {random({0})}))[0]));
}

TEST(Reduce, NoAxesAndNoDimensions) {
  Tensor scalar = make({}, {3});
  for (const char* name : {"sum", "max", "min", "prod", "mean"}) {
    EXPECT_EQ(values_of(run(name, {scalar})), Doubles{3}) << name;
    EXPECT_EQ(values_of(run(name, {scalar}, {ints({-1})})), Doubles{3}) << name;
    EXPECT_EQ(run(name, {random({2, 3})}, {ints({})}).shape().str(), "()") << name;
  }
  EXPECT_NEAR(values_of(run("mean", {iota({2, 3})}, {ints({})}))[0], 2.5, 1e-6);
  EXPECT_EQ(values_of(run("argmax", {scalar}, {AttrValue(0)})), Doubles{0});
  EXPECT_EQ(values_of(run("cumsum", {scalar}, {AttrValue(-1)})), Doubles{3});
  EXPECT_EQ(error_of("sum", {scalar}, {ints({1})}),
            "ValueError: [sum] axis is out of range, got 1, expected -1 to 0");
}

TEST(Reduce, NanIsTheExtreme) {
  Tensor t = make({2, 3}, {1, std::nan(""), 0, 1, 2, 3});
  for (const char* name : {"max", "min"}) {
    EXPECT_TRUE(std::isnan(values_of(run(name, {t}, {ints({1})}))[0]));
    EXPECT_TRUE(std::isnan(values_of(run(name, {t}, {ints({0})}))[1]));
  }
  EXPECT_EQ(values_of(run("argmax", {t}, {AttrValue(1)})), (Doubles{1, 2}));
  EXPECT_EQ(values_of(run("argmin", {t}, {AttrValue(1)})), (Doubles{1, 0}));
}

TEST(Reduce, ArgmaxAndCumsum) {
  Tensor t = make({2, 3}, {1, 5, 5, 7, 2, 7});
  EXPECT_EQ(values_of(run("argmax", {t})), Doubles{3});
  EXPECT_EQ(values_of(run("argmax", {t}, {AttrValue(0)})), (Doubles{1, 0, 1}));
  EXPECT_EQ(run("argmax", {t}, {AttrValue(-1), AttrValue(true)}).shape().str(), "(2, 1)");
  EXPECT_EQ(values_of(run("cumsum", {t}, {AttrValue(1)})), (Doubles{1, 6, 11, 7, 9, 16}));
  EXPECT_EQ(values_of(run("cumsum", {t}, {AttrValue(0)})), (Doubles{1, 5, 5, 8, 7, 12}));
}

TEST(Reduce, SumTo) {
  Tensor t = iota({2, 3, 4});
  EXPECT_EQ(values_of(run("sum_to", {t}, {ints({3, 1})})), (Doubles{60, 92, 124}));
  EXPECT_EQ(values_of(run("sum_to", {t}, {ints({})})), Doubles{276});
}

TEST(Reduce, Gradients) {
  Tensor t = random({2, 3, 4}, DType::kFloat64, 0.5, 1.5);
  for (const char* name : {"sum", "mean", "prod", "max", "min"}) {
    check_gradients(name, {t});
    check_gradients(name, {t}, {ints({1})});
    check_gradients(name, {t}, {ints({0, -1}), AttrValue(true)});
  }
  check_gradients("cumsum", {t}, {AttrValue(1)});
  check_gradients("prod", {make({3}, {0, 2, 3}, DType::kFloat64)}, {}, false);
}

}  // namespace
}  // namespace msjit::op_test
