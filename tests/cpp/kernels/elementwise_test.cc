// Every layout, broadcast and mix of dtypes through one binary op, against a loop over doubles;
// integer corner cases; gradients.
#include <cmath>
#include <limits>

#include "kernels/op_test.h"

namespace msjit::op_test {
namespace {

Tensor transposed(const Tensor& t) {
  return Tensor::view(t, Shape{t.dim(1), t.dim(0)}, Shape{t.strides()[1], t.strides()[0]}, 0);
}
Tensor every_second(const Tensor& t) {  // of the last dimension
  Shape shape = t.shape(), strides = t.strides();
  shape[t.rank() - 1] = (shape.back() + 1) / 2;
  strides[t.rank() - 1] *= 2;
  return Tensor::view(t, shape, strides, 0);
}

Doubles expected_sum(const Tensor& a, const Tensor& b, const Shape& out) {
  Doubles x = values_of(a), y = values_of(b), sum(out.numel());
  auto offset = [&](const Shape& shape, int64_t flat) {
    int64_t index = 0, step = 1;
    for (int i = out.rank() - 1, j = shape.rank() - 1; j >= 0; --i, --j) {
      index += (shape[j] == 1 ? 0 : flat % out[i]) * step;
      step *= shape[j];
      flat /= out[i];
    }
    return index;
  };
  for (int64_t i = 0; i < out.numel(); ++i)
    sum[i] = x[offset(a.shape(), i)] + y[offset(b.shape(), i)];
  return sum;
}

void check_add(const Tensor& a, const Tensor& b) {
  Tensor out = run("add", {a, b});
  ASSERT_TRUE(out);
  Doubles want = expected_sum(a, b, out.shape()), got = values_of(out);
  double tolerance = out.dtype() == DType::kBFloat16  ? 0.02
                     : out.dtype() == DType::kFloat16 ? 2e-3
                                                      : 1e-6;
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance * std::max(1.0, std::abs(want[i])))
        << a.meta().str() << " " << b.meta().str() << " at " << i;
}

TEST(Elementwise, BroadcastsAndLayouts) {
  const Shape shapes[] = {{},     {1},       {7},       {5, 7},    {5, 1},
                          {1, 7}, {3, 5, 7}, {3, 1, 7}, {3, 5, 1}, {3, 1, 1}};
  for (const Shape& a : shapes)
    for (const Shape& b : shapes) check_add(random(a), random(b));
  check_add(transposed(random({7, 5})), random({5, 7}));
  check_add(transposed(random({7, 5})), transposed(random({7, 5})));
  check_add(every_second(random({5, 14})), random({7}));
  check_add(random({300, 1}), random({1, 200}));
  check_add(random({40, 1, 50}), random({30, 1}));
  check_add(transposed(random({301, 217})), random({301}));
}

TEST(Elementwise, LargeTensorsOnSeveralThreads) {
  check_add(random({200001}), random({200001}));
  check_add(random({501, 403}), random({403}));
  check_add(transposed(random({403, 501})), random({501, 403}, DType::kFloat16));
}

TEST(Elementwise, MixedDtypes) {
  const DType dtypes[] = {DType::kUInt8,    DType::kInt16,   DType::kInt64,  DType::kFloat16,
                          DType::kBFloat16, DType::kFloat32, DType::kFloat64};
  for (DType a : dtypes)
    for (DType b : dtypes) {
      check_add(random({600}, a, 0, 50), random({600}, b, 0, 50));
      check_add(random({3, 5}, a, 0, 50), random({5}, b, 0, 50));
    }
}

TEST(Elementwise, ZeroSizes) {
  EXPECT_EQ(run("add", {random({0}), random({1})}).shape().str(), "(0,)");
  EXPECT_EQ(run("mul", {random({3, 0}), random({3, 1})}).shape().str(), "(3, 0)");
  EXPECT_EQ(run("where", {random({0}), random({}), random({0, 0})}).shape().str(), "(0, 0)");
}

TEST(Elementwise, ScalarsStayWeak) {
  Tensor half = Tensor::scalar<double>(0.5, true);
  EXPECT_EQ(run("mul", {random({3}, DType::kFloat16), half}).dtype(), DType::kFloat16);
  EXPECT_EQ(run("mul", {random({3}, DType::kInt32), half}).dtype(), DType::kFloat32);
  EXPECT_EQ(run("add", {half, half}).dtype(), DType::kFloat32);
  // All digits of the scalar count against float64.
  Tensor tenth = Tensor::scalar<double>(0.1, true);
  EXPECT_EQ(values_of(run("mul", {make({1}, {3.0}, DType::kFloat64), tenth}))[0], 3.0 * 0.1);
}

TEST(Elementwise, IntegersDoNotTrap) {
  Tensor x = Tensor::empty(DType::kInt32, Shape{4}).take();
  const int32_t values[] = {std::numeric_limits<int32_t>::min(), 7, -7, 5};
  std::copy(values, values + 4, x.data_as<int32_t>());
  Tensor y = make({4}, {-1, 0, 2, -3}, DType::kInt32);
  EXPECT_EQ(values_of(run("floor_div", {x, y})), (Doubles{-2147483648.0, 0, -4, -2}));
  EXPECT_EQ(values_of(run("mod", {x, y})), (Doubles{0, 0, 1, -1}));
  EXPECT_EQ(values_of(run("abs", {x}))[0], -2147483648.0);
  EXPECT_EQ(values_of(run("pow", {make({4}, {2, 3, -1, 1}, DType::kInt32),
                                  make({4}, {10, 5, 3, -7}, DType::kInt32)})),
            (Doubles{1024, 243, -1, 1}));
}

TEST(Elementwise, FloorAndModOfFloats) {
  Tensor x = make({6}, {7, -7, 7, -7, 6, -6}), y = make({6}, {2, 2, -2, -2, 3, 3});
  EXPECT_EQ(values_of(run("floor_div", {x, y})), (Doubles{3, -4, -4, 3, 2, -2}));
  EXPECT_EQ(values_of(run("mod", {x, y})), (Doubles{1, 1, -1, -1, 0, 0}));
  double inf = std::numeric_limits<double>::infinity();
  Tensor a = make({4}, {-1, 1, -1, 5}), b = make({4}, {inf, inf, -inf, 0});
  EXPECT_EQ(values_of(run("floor_div", {a, b})), (Doubles{-1, 0, 0, inf}));
  EXPECT_EQ(values_of(run("mod", {make({2}, {-1, 1}), make({2}, {inf, inf})})), (Doubles{inf, 1}));
}

TEST(Elementwise, NanWins) {
  double nan = std::nan("");
  Tensor x = make({3}, {nan, 1, 2}), y = make({3}, {1, nan, 3});
  Doubles most = values_of(run("maximum", {x, y})), least = values_of(run("minimum", {x, y}));
  EXPECT_TRUE(std::isnan(most[0]) && std::isnan(most[1]) && most[2] == 3);
  EXPECT_TRUE(std::isnan(least[0]) && std::isnan(least[1]) && least[2] == 2);
  EXPECT_TRUE(std::isnan(values_of(run("relu", {x}))[0]));
  EXPECT_TRUE(std::isnan(values_of(run("clip", {x}, {AttrValue(0.0), AttrValue(1.0)}))[0]));
}

TEST(Elementwise, Errors) {
  EXPECT_EQ(error_of("add", {random({2, 3}), random({4})}),
            "ValueError: [add] shapes cannot be broadcast, got (2, 3) and (4,)");
  EXPECT_EQ(
      error_of("bitwise_and", {random({2}), random({2})}),
      "TypeError: [bitwise_and] dtype is not supported, got float32, expected bool or an integer");
}

TEST(Elementwise, GradientsOfFirstAndSecondOrder) {
  auto at = [](double low, double high) { return random({2, 3}, DType::kFloat64, low, high); };
  for (const char* name : {"neg", "square", "exp", "expm1", "sin", "cos", "tanh", "sigmoid", "silu",
                           "elu", "gelu", "gelu_tanh", "softplus", "erf", "sinh", "cosh", "atan"})
    check_gradients(name, {at(0.2, 1.5)});
  for (const char* name :
       {"log", "log1p", "sqrt", "rsqrt", "reciprocal", "abs", "relu", "leaky_relu", "tan"})
    check_gradients(name, {at(0.3, 1.2)});
  for (const char* name : {"neg", "abs", "leaky_relu", "elu", "silu", "gelu", "softplus"})
    check_gradients(name, {at(-1.5, -0.2)});
  for (const char* name : {"add", "sub", "mul", "div", "pow", "maximum", "minimum"}) {
    check_gradients(name, {at(0.5, 1.5), at(0.6, 1.6)});
    check_gradients(name, {at(0.5, 1.5), random({3}, DType::kFloat64, 0.5, 1.5)});
  }
  check_gradients("where", {make({2, 3}, {1, 0, 1, 1, 0, 0}, DType::kBool), at(-1, 1), at(-1, 1)});
}

TEST(Elementwise, SlopeOfPowersAtZero) {
  Tensor x = make({2}, {0, 2}, DType::kFloat64);
  check_gradients("pow", {make({1}, {1.5}, DType::kFloat64), make({}, {0}, DType::kFloat64)}, {},
                  false);
  EXPECT_EQ(values_of(run("pow", {x, make({}, {0}, DType::kFloat64)})), (Doubles{1, 1}));
}

}  // namespace
}  // namespace msjit::op_test
