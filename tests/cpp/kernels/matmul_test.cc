// The matrix product and linear: every layout, dtype and rank against a plain loop; errors; empty
// sizes.
#include <algorithm>
#include <cmath>
#include <thread>

#include "kernels/cpu/layout.h"
#include "kernels/cpu/onednn.h"
#include "kernels/op_test.h"

namespace msjit {
namespace {

using namespace op_test;

// a (m, k) times b (k, n), in double.
Tensor plain_product(const Tensor& a, const Tensor& b) {
  int64_t m = a.dim(0), k = a.dim(1), n = b.dim(1);
  Doubles x = values_of(a), y = values_of(b), out(m * n, 0.0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t p = 0; p < k; ++p) out[i * n + j] += x[i * k + p] * y[p * n + j];
  return make({m, n}, out, DType::kFloat64);
}

Tensor transposed(const Tensor& t) { return layout::swap_axes(t, t.rank() - 2, t.rank() - 1); }

TEST(Matmul, SizesAndTransposes) {
  for (auto [m, k, n] : {std::array<int64_t, 3>{1, 1, 1},
                         {4, 4, 4},
                         {7, 13, 5},
                         {1, 70, 90},
                         {65, 1, 40},
                         {40, 100, 1},
                         {33, 129, 67}}) {
    Tensor a = random({m, k}), b = random({k, n});
    Tensor want = plain_product(a, b);
    EXPECT_TRUE(close(run("matmul", {a, b}), want));
    Tensor at = transposed(a).to_contiguous().take(), bt = transposed(b).to_contiguous().take();
    EXPECT_TRUE(close(run("matmul", {at, b}, {true, false}), want));
    EXPECT_TRUE(close(run("matmul", {a, bt}, {false, true}), want));
    EXPECT_TRUE(close(run("matmul", {at, bt}, {true, true}), want));
    EXPECT_TRUE(close(run("matmul", {transposed(at), transposed(bt)}), want)) << m << k << n;
  }
}

TEST(Matmul, OddStrides) {
  Tensor a = random({20, 60}), b = random({60, 30});
  Tensor a_view = layout::slice_axis(layout::slice_axis(a, 0, 1, 9, 2), 1, 3, 25, 2);
  Tensor b_view = layout::slice_axis(layout::slice_axis(b, 0, 5, 25, 2), 1, 4, 20);
  Tensor want = plain_product(a_view, b_view);
  EXPECT_TRUE(close(run("matmul", {a_view, b_view}), want));
  Tensor row = layout::broadcast(random({1, 25}), {12, 25});
  EXPECT_TRUE(close(run("matmul", {row, b_view}), plain_product(row, b_view)));
  Tensor flipped = layout::slice_axis(a, 1, 59, 60, -1);
  EXPECT_TRUE(close(run("matmul", {flipped, b}), plain_product(flipped, b)));
}

TEST(Matmul, DTypes) {
  for (DType dtype : {DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kInt8,
                      DType::kUInt8, DType::kInt16, DType::kInt32, DType::kInt64}) {
    Tensor a = as(random({9, 70}, DType::kFloat32, 0, 3), dtype);
    Tensor b = as(random({70, 21}, DType::kFloat32, 0, 3), dtype);
    Tensor want = as(plain_product(a, b), dtype), got = run("matmul", {a, b});
    EXPECT_EQ(got.dtype(), dtype);
    double tolerance = dtype == DType::kBFloat16 ? 1e-2 : dtype == DType::kFloat16 ? 2e-3 : 1e-12;
    if (item_size(dtype) == 1) continue;  // sums wrap around there
    EXPECT_TRUE(close(got, want, tolerance)) << dtype_name(dtype);
  }
  Tensor big = make({1, 2}, {2e9, 2e9}, DType::kInt32), ones = make({2, 1}, {1, 1}, DType::kInt32);
  EXPECT_EQ(values_of(run("matmul", {big, ones})), Doubles{4e9 - 4294967296.0});  // wraps
}

TEST(Matmul, Batches) {
  for (DType dtype : {DType::kFloat32, DType::kFloat64}) {
    Tensor a = random({2, 3, 9, 20}, dtype), b = random({2, 3, 20, 11}, dtype);
    Tensor got = run("matmul", {a, b});
    for (int64_t i = 0; i < 6; ++i) {
      Tensor part = Tensor::view(got, {9, 11}, {11, 1}, i * 99);
      EXPECT_TRUE(close(part, plain_product(Tensor::view(a, {9, 20}, {20, 1}, i * 180),
                                            Tensor::view(b, {20, 11}, {11, 1}, i * 220))));
    }
    Tensor moved = layout::permute(random({9, 2, 3, 20}, dtype), std::array<int, 4>{1, 2, 0, 3});
    Tensor copy = moved.to_contiguous().take();
    EXPECT_TRUE(close(run("matmul", {moved, b}), run("matmul", {copy, b})));
    Tensor one = random({3, 20, 11}, dtype);
    Tensor spread = layout::broadcast(one, {2, 3, 20, 11}).to_contiguous().take();
    EXPECT_TRUE(close(run("matmul", {a, one}), run("matmul", {a, spread})));
    Tensor left = random({2, 1, 9, 20}, dtype), right = random({1, 3, 20, 11}, dtype);
    EXPECT_EQ(run("matmul", {left, right}).shape(), (Shape{2, 3, 9, 11}));
    Tensor shared = random({20, 11}, dtype);
    EXPECT_TRUE(close(
        run("matmul", {transposed(transposed(a)), shared}),
        run("matmul", {a, layout::broadcast(shared, {2, 3, 20, 11}).to_contiguous().take()})));
  }
}

TEST(Matmul, Vectors) {
  Tensor v = random({30}), m = random({30, 40}), stack = random({2, 40, 30});
  EXPECT_EQ(run("matmul", {v, v}).shape(), Shape{});
  EXPECT_EQ(run("matmul", {v, m}).shape(), Shape{40});
  EXPECT_EQ(run("matmul", {stack, v}).shape(), (Shape{2, 40}));
  EXPECT_TRUE(close(run("matmul", {v, m}), run("matmul", {m, v}, {true, false})));
}

// A row on the left or a column on the right, for which there are separate loops. Sizes around
// those of vectors and of parts, either layout of the matrix, stacks, a bias.
TEST(Matmul, VectorsTimesMatrices) {
  for (auto [k, n] : {std::array<int64_t, 2>{8, 200}, {16, 130}, {33, 64}, {2100, 9}, {45, 4103}}) {
    Tensor row = random({1, k}), matrix = random({k, n}), bias = random({n}), one = random({1});
    Tensor flipped = transposed(matrix).to_contiguous().take(), want = plain_product(row, matrix);
    Tensor column = transposed(row).to_contiguous().take();
    Tensor turned = transposed(want).to_contiguous().take();
    EXPECT_TRUE(close(run("matmul", {row, matrix}), want)) << k << " " << n;
    EXPECT_TRUE(close(run("matmul", {row, flipped}, {false, true}), want)) << k << " " << n;
    EXPECT_TRUE(close(run("matmul", {flipped, column}), turned)) << k << " " << n;
    EXPECT_TRUE(close(run("matmul", {matrix, column}, {true, false}), turned)) << k << " " << n;
    Doubles biased = values_of(want);
    for (size_t j = 0; j < biased.size(); ++j) biased[j] += values_of(bias)[j];
    EXPECT_TRUE(close(run("linear", {row, flipped, bias}), make({1, n}, biased)));
    Doubles raised = values_of(want);
    for (double& value : raised) value += values_of(one)[0];
    EXPECT_TRUE(close(run("linear", {flipped, row, one}), make({n, 1}, raised)));
  }
  Tensor rows = random({2, 3, 1, 70}), stack = random({2, 3, 70, 90}), shared = random({70, 90});
  for (const Tensor& right : {stack, shared}) {
    Tensor got = run("matmul", {rows, right});
    ASSERT_EQ(got.shape(), (Shape{2, 3, 1, 90}));
    for (int64_t i = 0; i < 6; ++i)
      EXPECT_TRUE(close(Tensor::view(got, {1, 90}, {90, 1}, i * 90),
                        plain_product(Tensor::view(rows, {1, 70}, {70, 1}, i * 70),
                                      Tensor::view(right, {70, 90}, {90, 1},
                                                   right.same(shared) ? 0 : i * 6300))));
  }
}

TEST(Matmul, EmptySizes) {
  Tensor out = run("matmul", {make({3, 0}, {}), make({0, 2}, {})});
  EXPECT_EQ(values_of(out), Doubles(6, 0.0));
  EXPECT_EQ(run("matmul", {make({0, 3}, {}), random({3, 2})}).shape(), (Shape{0, 2}));
  EXPECT_EQ(run("matmul", {make({0, 2, 3}, {}), random({3, 2})}).shape(), (Shape{0, 2, 2}));
  Tensor bias = make({2}, {1, -2});
  EXPECT_EQ(values_of(run("linear", {make({2, 0}, {}), make({2, 0}, {}), bias})),
            (Doubles{1, -2, 1, -2}));
}

TEST(Matmul, Errors) {
  EXPECT_EQ(
      error_of("matmul", {random({2, 3}), random({4, 2})}),
      "ValueError: [matmul] inner dimensions must match, got 3 and 4 in shapes (2, 3), (4, 2)");
  EXPECT_EQ(error_of("matmul", {random({2, 3}), random({3, 2}, DType::kFloat64)}),
            "TypeError: [matmul] dtypes must match, got float32 and float64");
  EXPECT_EQ(
      error_of("matmul", {random({}), random({3, 2})}),
      "ValueError: [matmul] operands must have at least one dimension, got shapes () and (3, 2)");
  EXPECT_EQ(error_of("linear", {random({2, 3}), random({3})}),
            "ValueError: [linear] weight has a wrong rank, got 1, expected 2");
}

TEST(Matmul, PrimitivesAreKept) {
  Tensor a = random({50, 60}), b = random({60, 70});
  run("matmul", {a, b});
  int64_t before = onednn::cached_primitives();
  for (int i = 0; i < 5; ++i) run("matmul", {a, b});
  EXPECT_EQ(onednn::cached_primitives(), before);
}

// Calls with changing numbers of rows share programs for blocks of rows. Their results must have
// the bits that a program for that number gives, which are those of the first rows of a larger
// product.
TEST(Linear, AnyNumberOfRows) {
  Tensor w = random({50, 40}), bias = random({50}), x = random({2500, 40}), scale = random({40});
  Doubles all = values_of(run("linear", {x, w, bias}));
  Doubles shares = values_of(run("softmax", {x}, {-1}));
  Doubles norms = values_of(run("layer_norm_stats", {x, scale, scale}, {1, 1e-5}));
  const auto starts_with = [](const Doubles& whole, const Tensor& part) {
    const Doubles values = values_of(part);
    return std::equal(values.begin(), values.end(), whole.begin());
  };
  const auto check = [&](int64_t rows) {
    Tensor part = layout::slice_axis(x, 0, 0, rows);
    ASSERT_TRUE(starts_with(all, run("linear", {part, w, bias}))) << rows;
    ASSERT_TRUE(starts_with(shares, run("softmax", {part}, {-1}))) << rows;
    ASSERT_TRUE(starts_with(norms, run("layer_norm_stats", {part, scale, scale}, {1, 1e-5})))
        << rows;
  };
  for (int64_t rows = 2; rows < 300; ++rows) check(rows);
  int64_t before = onednn::cached_primitives();
  for (int64_t rows : {1023, 1024, 1025, 2047, 2111, 2499}) check(rows);
  for (int times = 0; times < 40; ++times) check(777);  // often enough for programs of its own
  EXPECT_LE(onednn::cached_primitives() - before, 200);
}

// More programs than the table of a thread holds: the oldest go, not all of them.
TEST(Matmul, OldProgramsGo) {
  std::thread([] {
    for (int64_t length = 3; length < 2300; ++length) {
      run("matmul", {random({40, length}), random({length, 40})});
      ASSERT_LE(onednn::cached_primitives(), 2048);
    }
    EXPECT_GT(onednn::cached_primitives(), 1500);
  }).join();
}

TEST(Linear, BiasAndActivation) {
  for (auto [rows, in, out] : {std::array<int64_t, 3>{3, 4, 5}, {40, 60, 33}}) {
    Tensor x = random({rows, in}), w = random({out, in}), bias = random({out});
    Tensor product = run("matmul", {x, w}, {false, true});
    Doubles want = values_of(product), b = values_of(bias);
    for (size_t i = 0; i < want.size(); ++i) want[i] += b[i % out];
    EXPECT_TRUE(close(run("linear", {x, w, bias}), make({rows, out}, want)));
    for (double& value : want) value = std::max(value, 0.0);
    EXPECT_TRUE(close(run("linear_act", {x, w, bias}), make({rows, out}, want)));
  }
  Tensor x = random({2, 3, 40}, DType::kFloat64), w = random({7, 40}, DType::kFloat64);
  EXPECT_EQ(run("linear", {x, w}).shape(), (Shape{2, 3, 7}));
}

// However the rows are divided among threads and kernels. A weight used again is read packed.
TEST(Linear, EqualRowsGiveEqualResults) {
  for (auto [rows, in, out] :
       {std::array<int64_t, 3>{64, 512, 10}, {7, 512, 33}, {64, 300, 3}, {130, 1024, 256}}) {
    Tensor w = random({out, in}), bias = random({out}), x = random({rows, in});
    float* values = x.data_as<float>();
    for (int64_t i = 1; i < rows; ++i) std::copy_n(values, in, values + i * in);
    for (int times = 0; times < 4; ++times) {
      Doubles got = values_of(run("linear", {x, w, bias}));
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i], got[i % out]) << rows << " rows, at " << i;
    }
  }
}

// Every way a product is computed: loops, oneDNN, its packed weights, parts of a great output.
TEST(Linear, ActivationKeepsNaN) {
  double nan = std::numeric_limits<double>::quiet_NaN(), inf = HUGE_VAL;
  for (auto [rows, in, out] : {std::array<int64_t, 3>{3, 4, 5}, {40, 60, 33}, {1500, 20, 700}})
    for (DType dtype : {DType::kFloat32, DType::kBFloat16}) {
      Tensor x = random({rows, in}), w = as(random({out, in}), dtype);
      x.data_as<float>()[0] = static_cast<float>(nan);
      x.data_as<float>()[(rows - 1) * in] = static_cast<float>(nan);
      x.data_as<float>()[in] = static_cast<float>(inf);
      x = as(x, dtype);
      for (int times = 0; times < 4; ++times) {
        Doubles want = values_of(run("linear", {x, w})), got = values_of(run("linear_act", {x, w}));
        for (size_t i = 0; i < want.size(); ++i) {
          double expected = want[i] <= 0 ? 0.0 : want[i];
          ASSERT_TRUE(got[i] == expected || (got[i] != got[i] && expected != expected))
              << rows << " " << i << " " << got[i] << " " << expected;
          ASSERT_FALSE(std::signbit(got[i]) && got[i] == 0);
        }
      }
    }
}

TEST(Matmul, Gradients) {
  DType d = DType::kFloat64;
  check_gradients("matmul", {random({3, 4}, d), random({4, 2}, d)});
  check_gradients("matmul", {random({4, 3}, d), random({2, 4}, d)}, {true, true});
  check_gradients("matmul", {random({4, 3}, d), random({4, 2}, d)}, {true, false});
  check_gradients("matmul", {random({2, 3, 4}, d), random({4, 2}, d)});
  check_gradients("matmul", {random({2, 3, 4}, d), random({2, 4}, d)}, {false, true});
  check_gradients("matmul", {random({2, 1, 2, 3}, d), random({3, 3, 2}, d)});
  check_gradients("matmul", {random({3}, d), random({3}, d)});
  check_gradients("matmul", {random({3}, d), random({2, 3, 2}, d)});
  check_gradients("matmul", {random({2, 2, 3}, d), random({3}, d)});
  check_gradients("linear", {random({3, 4}, d), random({2, 4}, d), random({2}, d)});
  check_gradients("linear", {random({2, 2, 3}, d), random({2, 3}, d), random({2}, d)});
  check_gradients("linear", {random({3}, d), random({2, 3}, d)});
}

}  // namespace
}  // namespace msjit
