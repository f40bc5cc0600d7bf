// Operators over rows: every length (blocks of lanes and what is left of them), rows along every
// axis, special values, threads, and the loops for both kinds of vectors.
#include "kernels/cpu/rows.h"

#include <cmath>

#include "kernels/op_test.h"

namespace msjit {
namespace {

using namespace op_test;

constexpr DType kF64 = DType::kFloat64;

struct Row {
  Doubles x;
  double top = -HUGE_VAL, total = 0, mean = 0, variance = 0;
  explicit Row(Doubles values) : x(std::move(values)) {
    const auto n = static_cast<double>(x.size());
    for (double v : x) top = std::max(top, v), mean += v / n;
    for (double v : x) total += std::exp(v - top), variance += (v - mean) * (v - mean) / n;
  }
};

void expect_near(const Doubles& got, const Doubles& want, double tolerance, const char* what) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance * (1 + std::fabs(want[i])))
        << what << " of length " << want.size() << " at " << i;
}

void check_length(int64_t n, DType dtype, double tolerance) {
  const Tensor x = random({2, n}, kF64, -4, 4), weight = random({n}, kF64),
               bias = random({n}, kF64);
  const Doubles all = values_of(x), w = values_of(weight), b = values_of(bias);
  Doubles soft, logs, norms;
  for (int64_t r = 0; r < 2; ++r) {
    const Row row(Doubles(all.begin() + r * n, all.begin() + (r + 1) * n));
    for (size_t i = 0; i < row.x.size(); ++i) {
      soft.push_back(std::exp(row.x[i] - row.top) / row.total);
      logs.push_back(row.x[i] - row.top - std::log(row.total));
      norms.push_back((row.x[i] - row.mean) / std::sqrt(row.variance + 1e-3) * w[i] + b[i]);
    }
  }
  const Tensor own = as(x, dtype);
  expect_near(values_of(run("softmax", {own})), soft, tolerance, "softmax");
  expect_near(values_of(run("log_softmax", {own})), logs, tolerance, "log_softmax");
  const Tensor turned = run("swapaxes", {own}, {0, 1});
  const Tensor down = run("swapaxes", {run("softmax", {turned}, {0})}, {0, 1});
  expect_near(values_of(down), soft, tolerance, "softmax down columns");
  expect_near(
      values_of(run("layer_norm_stats", {own, as(weight, dtype), as(bias, dtype)}, {1, 1e-3})),
      norms, tolerance * 4, "layer_norm");
}

TEST(Rows, EveryLength) {
  for (int64_t n = 1; n < 140; ++n) {
    check_length(n, kF64, 1e-13);
    check_length(n, DType::kFloat32, 4e-6);
    check_length(n, DType::kFloat16, 8e-3);
  }
  for (int64_t n : {4095, 4097, 4159, 9000}) check_length(n, DType::kFloat32, 1e-5);
}

TEST(Rows, SpecialValuesReachTheirRowAlone) {
  const double nan = std::nan(""), inf = HUGE_VAL;
  for (int64_t n : {5, 40, 70, 200})
    for (const bool down : {false, true})
      for (const char* name : {"softmax", "log_softmax"}) {
        Doubles values(static_cast<size_t>(4 * n), 1);
        values[static_cast<size_t>(n - 1)] = nan;
        values[static_cast<size_t>(n + n / 2)] = inf;
        for (int64_t i = 0; i < n; ++i) values[static_cast<size_t>(2 * n + i)] = -inf;
        values[static_cast<size_t>(3 * n)] = -inf;
        Tensor x = as(make({4, n}, values), DType::kFloat32);
        if (down) x = run("swapaxes", {x}, {0, 1}).to_contiguous().take();
        Tensor y = run(name, {x}, {down ? 0 : 1});
        if (down) y = run("swapaxes", {y}, {0, 1});
        const Doubles got = values_of(y);
        for (int64_t i = 0; i < 3 * n; ++i) ASSERT_TRUE(std::isnan(got[static_cast<size_t>(i)]));
        EXPECT_EQ(got[static_cast<size_t>(3 * n)], name[0] == 's' ? 0 : -inf);
        const double share = 1 / static_cast<double>(n - 1);
        EXPECT_NEAR(got.back(), name[0] == 's' ? share : std::log(share), 1e-5);
      }
}

TEST(Rows, GradientOfLayerNormForManyRows) {
  for (int64_t rows : {1, 16, 17, 33, 700, 5000}) {
    const Tensor x = random({rows, 19}), dy = random({rows, 19}), weight = random({19});
    const std::vector<Tensor> stats = run_all("layer_norm_stats", {x, weight});
    const std::vector<Tensor> in = {x, stats[1], stats[2], dy, weight};
    std::vector<Tensor> wide;
    for (const Tensor& t : in) wide.push_back(as(t, kF64));
    const auto want = run_all("layer_norm_grad", wide);
    set_num_threads(1);
    const auto alone = run_all("layer_norm_grad", in);
    set_num_threads(3);
    const auto shared = run_all("layer_norm_grad", in);
    set_num_threads(0);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(close(alone[i], want[i], 1e-4)) << rows << " " << i;
      EXPECT_EQ(values_of(alone[i]), values_of(shared[i]));
    }
    Doubles sums(19, 0);
    const Doubles arrived = values_of(dy);
    for (size_t i = 0; i < arrived.size(); ++i) sums[i % 19] += arrived[i];
    expect_near(values_of(alone[2]), sums, 1e-4, "dbias");
  }
}

// All that a description may use.
struct Everything {
  template <class R>
  static void run(R& r) {
    const auto x = r.in(0);
    const auto top = r.max(x);
    const auto [total, kept] =
        r.sum_kept(r.map([](auto m, auto x, auto top) { return m.exp(x - top); }, x, top));
    const auto [first, second] =
        r.means(x, r.map([](auto, auto x, auto e) { return x * e; }, x, kept));
    const auto by = r.once([](auto m, auto a, auto b, auto c) { return m.log(a) * b - c; }, total,
                           first, second);
    r.out(r.map([](auto, auto e, auto by) { return e * by; }, kept, by), r.over_rows(x));
  }
};

TEST(Rows, BothKindsOfVectorsGiveTheSameBits) {
  if (!has_wide_vectors()) GTEST_SKIP();
  for (int64_t n : {1, 7, 31, 64, 65, 200, 5000}) {
    const Tensor x = random({3, n});
    std::vector<Doubles> results;
    for (const bool wide : {false, true}) {
      const Tensor y = Tensor::empty(DType::kFloat32, {3, n}).take();
      const Tensor sums = make({n}, Doubles(static_cast<size_t>(n), 0));
      rows::RowOperands<float> operands;
      operands.set_in(0, x, n);
      operands.set_out(0, y, n);
      operands.set_out(1, sums, 0);
      if (wide)
        rows::wide::RowLoops<Everything, float>::rows(operands, n, 0, 3);
      else
        rows::usual::RowLoops<Everything, float>::rows(operands, n, 0, 3);
      results.push_back(values_of(y));
      results.push_back(values_of(sums));
    }
    EXPECT_EQ(results[0], results[2]) << n;
    EXPECT_EQ(results[1], results[3]) << n;
  }
}

}  // namespace
}  // namespace msjit
