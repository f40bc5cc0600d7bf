// Assignments and optimizer steps: formulas, layouts, versions, refusals.
#include <cmath>

#include "kernels/cpu/layout.h"
#include "kernels/op_test.h"

namespace msjit {
namespace {

using namespace op_test;

Tensor rate(double value) { return make({}, {value}); }

TEST(Assign, BroadcastsAndConverts) {
  Tensor x = iota({2, 3});
  uint64_t version = x.storage()->version;
  run("assign", {x, make({3}, {7, 8, 9}, DType::kInt32)});
  EXPECT_EQ(values_of(x), (Doubles{7, 8, 9, 7, 8, 9}));
  EXPECT_GT(x.storage()->version, version);
  run("assign_add", {x, make({}, {1})});
  run("assign_sub", {x, make({2, 1}, {1, 2})});
  EXPECT_EQ(values_of(x), (Doubles{7, 8, 9, 6, 7, 8}));
  EXPECT_EQ(error_of("assign", {x, random({4})}).substr(0, 10), "ValueError");
}

TEST(Assign, ThroughAView) {
  Tensor x = iota({2, 2});
  Tensor turned = layout::swap_axes(x, 0, 1);
  run("assign", {turned, x});  // overlapping memory
  EXPECT_EQ(values_of(x), (Doubles{0, 2, 1, 3}));
  run("assign_add", {turned, make({2}, {10, 20})});
  EXPECT_EQ(values_of(x), (Doubles{10, 12, 21, 23}));
}

TEST(Assign, ReadOnlyIsRefused) {
  static float data[2] = {1, 2};
  Storage storage = Storage::foreign(
      data, sizeof(data), [](void*) {}, nullptr);
  storage->read_only = true;
  Tensor x = Tensor::from_storage(storage, DType::kFloat32, {2}, {1}, 0);
  EXPECT_EQ(error_of("assign", {x, make({}, {0})}).substr(0, 10), "ValueError");
  EXPECT_EQ(error_of("momentum_step", {random({2}), x, random({2}), rate(0.1)}, {0.9}),
            "ValueError: [momentum_step] a state shares memory that is read-only");
  EXPECT_EQ(data[0], 1);
}

TEST(Steps, Sgd) {
  Tensor param = make({2}, {1, 2});
  run("sgd_step", {param, make({2}, {0.5, 1}), rate(0.1)}, {0.01});
  EXPECT_TRUE(close(param, make({2}, {1 - 0.1 * 0.51, 2 - 0.1 * 1.02})));
}

TEST(Steps, Momentum) {
  for (bool nesterov : {false, true}) {
    Tensor param = make({1}, {1}), accum = make({1}, {0.5});
    run("momentum_step", {param, accum, make({1}, {2}), rate(0.1)}, {0.9, 0.0, 0.25, nesterov});
    double a = 0.45 + 2 * 0.75, move = nesterov ? 2 + a * 0.9 : a;
    EXPECT_TRUE(close(accum, make({1}, {a})));
    EXPECT_TRUE(close(param, make({1}, {1 - 0.1 * move})));
  }
}

double adam_value(double p, double g, int64_t step, bool decoupled, double decay) {
  double m = 0.1 * g, v = 0.001 * g * g;
  double c1 = step ? 1 - std::pow(0.9, step) : 1, c2 = step ? 1 - std::pow(0.999, step) : 1;
  if (!decoupled) {
    g += decay * p;
    m = 0.1 * g;
    v = 0.001 * g * g;
    return p - 0.01 * std::sqrt(c2) / c1 * m / (std::sqrt(v) + 1e-8);
  }
  if (step == 0) return p - 0.01 * (m / (std::sqrt(v) + 1e-8) + decay * p);
  p *= 1 - 0.01 * decay;
  return p - 0.01 / c1 * m / (std::sqrt(v) / std::sqrt(c2) + 1e-8);
}

TEST(Steps, Adam) {
  for (int64_t step : {0, 1, 7})
    for (bool decoupled : {false, true}) {
      Tensor param = make({1}, {1}), m = make({1}, {0}), v = make({1}, {0});
      run("adam_step", {param, m, v, make({1}, {0.3}), rate(0.01)},
          {0.9, 0.999, 1e-8, 0.1, step, decoupled});
      EXPECT_TRUE(close(param, make({1}, {adam_value(1, 0.3, step, decoupled, 0.1)})))
          << step << decoupled;
    }
}

TEST(Steps, StridedAndHalfPrecision) {
  Tensor base = iota({3, 2}), param = layout::swap_axes(base, 0, 1);
  run("sgd_step", {param, random({2, 3}, DType::kFloat32, 1, 1), rate(1)});
  EXPECT_EQ(values_of(base), (Doubles{-1, 0, 1, 2, 3, 4}));
  Tensor half = make({2}, {1, 2}, DType::kFloat16);
  run("sgd_step", {half, make({2}, {1, 1}), rate(0.5)});
  EXPECT_EQ(values_of(half), (Doubles{0.5, 1.5}));
  EXPECT_EQ(error_of("sgd_step", {make({2}, {1, 2}, DType::kInt32), random({2}), rate(0.5)}),
            "TypeError: [sgd_step] param has an unsupported dtype, got int32, expected a float");
}

}  // namespace
}  // namespace msjit
