// Convolution, pooling, normalisation, softmax and losses: float32 through oneDNN against float64
// through the project's own loops, and gradients of first and second order.
#include <cmath>

#include "kernels/cpu/layout.h"
#include "kernels/op_test.h"

namespace msjit {
namespace {

using namespace op_test;

constexpr DType kF64 = DType::kFloat64;

// Runs an op in float32 and the 16-bit floats and compares with float64.
void check_dtypes(const std::string& name, std::vector<Tensor> in, Attrs attrs = {}) {
  std::vector<Tensor> want = run_all(name, in, attrs);
  for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    std::vector<Tensor> narrow;
    for (const Tensor& t : in) narrow.push_back(t && t.dtype() == kF64 ? as(t, dtype) : t);
    std::vector<Tensor> got = run_all(name, narrow, attrs);
    ASSERT_EQ(got.size(), want.size());
    double tolerance = dtype == DType::kFloat32 ? 1e-4 : dtype == DType::kFloat16 ? 2e-2 : 1e-1;
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_TRUE(close(got[i], want[i], tolerance))
          << name << " " << dtype_name(dtype) << " " << i;
  }
}

Attrs conv_attrs(IntList stride, IntList padding, IntList dilation, int64_t groups) {
  return {AttrValue(stride), AttrValue(padding), AttrValue(dilation), AttrValue(groups)};
}

TEST(Conv2d, KnownValues) {
  Tensor x = iota({1, 1, 3, 3}), w = make({1, 1, 2, 2}, {1, 0, 0, 1});
  EXPECT_EQ(values_of(run("conv2d", {x, w})), (Doubles{4, 6, 10, 12}));
  EXPECT_EQ(values_of(run("conv2d", {x, w, make({1}, {10})}, conv_attrs({2}, {1}, {1}, 1))),
            (Doubles{10, 12, 16, 22}));
}

TEST(Conv2d, DTypesAndGradients) {
  struct Case {
    Shape x, w;
    Attrs attrs;
  };
  const Case cases[] = {
      {{2, 3, 5, 6}, {4, 3, 3, 3}, conv_attrs({1}, {0}, {1}, 1)},
      {{1, 2, 6, 5}, {3, 2, 3, 2}, conv_attrs({2, 1}, {1, 0}, {1}, 1)},
      {{1, 4, 5, 5}, {4, 2, 2, 2}, conv_attrs({1}, {1, 2, 0, 1}, {2, 1}, 2)},
      {{1, 2, 4, 4}, {2, 1, 3, 3}, conv_attrs({2}, {1}, {1}, 2)},
      {{1, 1, 3, 3}, {1, 1, 1, 1}, conv_attrs({1}, {3}, {1}, 1)},
  };
  for (const Case& c : cases) {
    std::vector<Tensor> in = {random(c.x, kF64), random(c.w, kF64), random({c.w[0]}, kF64)};
    check_dtypes("conv2d", in, c.attrs);
    check_gradients("conv2d", in, c.attrs);
  }
}

TEST(Conv2d, GradientOpsInFloat32) {
  Attrs conv = conv_attrs({2}, {1}, {1}, 1);
  Tensor x = random({2, 3, 9, 9}, kF64), w = random({8, 3, 3, 3}, kF64);
  Tensor dy = random({2, 8, 5, 5}, kF64);
  Attrs input{ints({2, 3, 9, 9}), conv[0], conv[1], conv[2], conv[3]};
  check_dtypes("conv2d_input_grad", {dy, w}, input);
  Attrs weight{ints({8, 3, 3, 3}), conv[0], conv[1], conv[2], conv[3]};
  check_dtypes("conv2d_weight_grad", {x, dy}, weight);
}

// Large batches are computed in parts.
TEST(Conv2d, LargeBatches) {
  const Attrs conv = conv_attrs({1}, {1}, {1}, 1);
  const Tensor x = random({6, 2, 200, 200}), w = random({24, 2, 3, 3});
  const Tensor y = run("conv2d", {x, w, Tensor()}, conv);
  const Attrs input{ints({6, 2, 200, 200}), conv[0], conv[1], conv[2], conv[3]},
      one{ints({1, 2, 200, 200}), conv[0], conv[1], conv[2], conv[3]};
  const Tensor dx = run("conv2d_input_grad", {y, w}, input);
  for (int64_t n = 0; n < 6; ++n) {
    const Tensor image = run("conv2d", {layout::slice_axis(x, 0, n, 1), w, Tensor()}, conv);
    EXPECT_TRUE(close(layout::slice_axis(y, 0, n, 1), image, 1e-5));
    EXPECT_TRUE(
        close(layout::slice_axis(dx, 0, n, 1), run("conv2d_input_grad", {image, w}, one), 1e-4));
  }
}

TEST(Conv2d, EmptyAndErrors) {
  EXPECT_EQ(run("conv2d", {make({0, 3, 5, 5}, {}), random({4, 3, 3, 3})}).shape(),
            (Shape{0, 4, 3, 3}));
  EXPECT_EQ(
      values_of(run("conv2d", {make({1, 0, 2, 2}, {}), make({1, 0, 1, 1}, {}), make({1}, {5})})),
      Doubles(4, 5.0));
  EXPECT_EQ(error_of("conv2d", {random({1, 3, 5, 5}), random({4, 2, 3, 3})}),
            "ValueError: [conv2d] input channels per group must match, got 3 and 2 in shapes "
            "(1, 3, 5, 5), (4, 2, 3, 3)");
  EXPECT_EQ(
      error_of("conv2d", {random({1, 3, 2, 2}), random({4, 3, 3, 3})}),
      "ValueError: [conv2d] the kernel does not fit the padded input, got extent 3 for size 2");
  EXPECT_EQ(error_of("conv2d", {random({3, 5, 5}), random({4, 3, 3, 3})}),
            "ValueError: [conv2d] x and weight have a wrong rank, got 3 and 4, expected 4");
  EXPECT_EQ(error_of("conv2d", {random({1, 3, 5, 5}, DType::kInt32), random({4, 3, 3, 3})}),
            "TypeError: [conv2d] x has an unsupported dtype, got int32, expected a float");
  EXPECT_EQ(error_of("conv2d", {random({1, 3, 5, 5}), random({4, 3, 3, 3})}, {ints({0})}),
            "ValueError: [conv2d] stride out of range, got [0], expected at least 1");
}

TEST(Pool, Maximum) {
  Tensor x = iota({1, 1, 4, 4});
  EXPECT_EQ(values_of(run("max_pool2d", {x}, {ints({2})})), (Doubles{5, 7, 13, 15}));
  std::vector<Tensor> both = run_all("max_pool2d_with_index", {x}, {ints({2})});
  EXPECT_EQ(values_of(both[1]), (Doubles{5, 7, 13, 15}));
  Attrs ceil{ints({3}), ints({2}), ints({1}), AttrValue(true)};
  for (DType dtype : {DType::kFloat32, kF64, DType::kInt32, DType::kFloat16}) {
    Tensor y = run("max_pool2d", {iota({1, 2, 6, 6}, dtype)}, ceil);
    EXPECT_EQ(y.shape(), (Shape{1, 2, 4, 4})) << dtype_name(dtype);
    EXPECT_EQ(values_of(y)[15], 35);
  }
  check_dtypes("max_pool2d", {random({2, 3, 7, 9}, kF64)}, {ints({3, 2}), ints({2}), ints({1})});
  check_gradients("max_pool2d", {random({1, 2, 5, 6}, kF64)}, {ints({3}), ints({2}), ints({1})});
  check_gradients("max_pool2d", {random({1, 1, 6, 6}, kF64)},
                  {ints({2}), AttrValue(), ints({0}), AttrValue(false), ints({2})});
}

TEST(Pool, MaximumGradientGoesToTheFirst) {
  Tensor flat = make({1, 1, 2, 4}, Doubles(8, 1.0)), dy = make({1, 1, 1, 2}, {3, 5});
  for (DType dtype : {DType::kFloat32, kF64})
    EXPECT_EQ(values_of(run("max_pool2d_grad", {as(flat, dtype), as(dy, dtype)}, {ints({2})})),
              (Doubles{3, 0, 5, 0, 0, 0, 0, 0}));
  Doubles
      distinct;  // also after rounding to bfloat16, so that rounding does not change the maximum
  for (int i = 0; i < 2 * 3 * 7 * 9; ++i) distinct.push_back(i * 5 % 378 - 189);
  check_dtypes("max_pool2d_grad", {make({2, 3, 7, 9}, distinct, kF64), random({2, 3, 4, 5}, kF64)},
               {ints({3}), ints({2}), ints({1})});
}

// oneDNN leaves NaN and -infinity out of maxima, and fills rows of a softmax with zeros.
TEST(Pool, MaximumOfSpecialValues) {
  double nan = std::nan(""), inf = HUGE_VAL;
  Tensor x = make({1, 1, 2, 6}, {1, 2, -inf, -inf, 3, 0, nan, 4, -inf, -inf, inf, 5});
  for (DType dtype : {DType::kFloat32, kF64}) {
    Doubles got = values_of(run("max_pool2d", {as(x, dtype)}, {ints({2})}));
    EXPECT_TRUE(std::isnan(got[0]));
    EXPECT_EQ(got[1], -inf);
    EXPECT_EQ(got[2], inf);
    Tensor dy = as(make({1, 1, 1, 3}, {1, 2, 3}), dtype);
    EXPECT_EQ(values_of(run("max_pool2d_grad", {as(x, dtype), dy}, {ints({2})})),
              (Doubles{0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0}));
  }
}

TEST(Softmax, NaNReachesTheWholeRow) {
  double nan = std::nan(""), inf = HUGE_VAL;
  Tensor x = make({4, 3}, {1, nan, 2, inf, 1, 2, -inf, -inf, -inf, -inf, 0, 0});
  for (DType dtype : {DType::kFloat32, kF64})
    for (const char* name : {"softmax", "log_softmax"}) {
      Doubles got = values_of(run(name, {as(x, dtype)}));
      for (int i = 0; i < 9; ++i) EXPECT_TRUE(std::isnan(got[i])) << name << i;
      double half = name[0] == 's' ? 0.5 : std::log(0.5);
      EXPECT_NEAR(got[10], half, 1e-5);
      EXPECT_EQ(got[9], name[0] == 's' ? 0 : -inf);
    }
}

TEST(Pool, Average) {
  Tensor x = iota({1, 1, 4, 4});
  EXPECT_EQ(values_of(run("avg_pool2d", {x}, {ints({2})})), (Doubles{2.5, 4.5, 10.5, 12.5}));
  for (bool include : {true, false})
    for (bool ceil : {true, false}) {
      Attrs attrs{ints({3}),       ints({2}),          ints({1}),
                  AttrValue(ceil), AttrValue(include), AttrValue()};
      check_dtypes("avg_pool2d", {random({2, 3, 6, 7}, kF64)}, attrs);
      check_gradients("avg_pool2d", {random({1, 2, 6, 5}, kF64)}, attrs);
    }
  Attrs fixed{ints({2}), AttrValue(), ints({0}), AttrValue(false), AttrValue(true), AttrValue(3)};
  EXPECT_TRUE(close(run("avg_pool2d", {x}, fixed), make({1, 1, 2, 2}, {10 / 3., 6, 14, 50 / 3.})));
  check_gradients("adaptive_avg_pool2d", {random({1, 2, 5, 7}, kF64)}, {ints({3, 2})});
  EXPECT_EQ(values_of(run("adaptive_avg_pool2d", {x}, {ints({1})})), Doubles{7.5});
}

TEST(Pool, Errors) {
  EXPECT_EQ(error_of("max_pool2d", {random({1, 1, 4, 4})}, {ints({2}), AttrValue(), ints({2})}),
            "ValueError: [max_pool2d] padding must be at most half the kernel, got 2 for 2");
  EXPECT_EQ(error_of("max_pool2d", {make({1, 1, 0, 4}, {})}, {ints({2})}),
            "ValueError: [max_pool2d] x has empty planes, got shape (1, 1, 0, 4)");
}

TEST(BatchNorm, Training) {
  std::vector<Tensor> in = {random({4, 3, 2, 2}, kF64), random({3}, kF64), random({3}, kF64)};
  check_dtypes("batch_norm_train", {random({4, 3, 5, 5}, kF64), in[1], in[2]});
  check_dtypes("batch_norm_train", {random({16, 3}, kF64), in[1], in[2]});
  check_gradients("batch_norm_train", in);
  check_gradients("batch_norm_train", {random({5, 3}, kF64), in[1], in[2]});
  Tensor y = run("batch_norm_train", {make({2, 1}, {1, 3}), make({1}, {1}), make({1}, {0})}, {0.0});
  EXPECT_TRUE(close(y, make({2, 1}, {-1, 1})));
}

TEST(BatchNorm, GradientInFloat32) {
  for (Shape shape : {Shape{4, 3, 5, 5}, Shape{4, 3, 2, 2}, Shape{16, 3}}) {
    Tensor x = random(shape, kF64), scale = random({3}, kF64), dy = random(shape, kF64);
    std::vector<Tensor> stats = run_all("batch_norm_train", {x, scale, scale});
    std::vector<Tensor> want = run_all("batch_norm_grad", {x, scale, stats[1], stats[2], dy});
    std::vector<Tensor> narrow;
    for (const Tensor& t : {x, scale, stats[1], stats[2], dy})
      narrow.push_back(as(t, DType::kFloat32));
    std::vector<Tensor> got = run_all("batch_norm_grad", narrow);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(close(got[i], want[i], 1e-4)) << shape.str();
  }
}

TEST(BatchNorm, Inference) {
  std::vector<Tensor> in = {random({2, 3, 2, 2}, kF64), random({3}, kF64), random({3}, kF64),
                            random({3}, kF64), random({3}, kF64, 0.5, 2)};
  check_dtypes("batch_norm", in);
  check_gradients("batch_norm", in);
}

TEST(LayerNorm, ValuesAndGradients) {
  std::vector<Tensor> in = {random({3, 4, 5}, kF64), random({5}, kF64), random({5}, kF64)};
  check_dtypes("layer_norm", in);
  check_gradients("layer_norm", in);
  check_gradients("layer_norm", {random({3, 5}, kF64)});
  check_gradients("layer_norm",
                  {random({2, 3, 2}, kF64), random({3, 2}, kF64), random({3, 2}, kF64)},
                  {AttrValue(-2)});
  check_gradients("layer_norm_stats", {random({3, 5}, kF64), in[1]});
  check_gradients("group_norm", {random({2, 4, 3}, kF64), random({4}, kF64), random({4}, kF64)},
                  {AttrValue(2)});
  Tensor x = random({6, 33}, kF64), weight = random({33}, kF64), dy = random({6, 33}, kF64);
  std::vector<Tensor> stats = run_all("layer_norm_stats", {x, weight});
  check_dtypes("layer_norm_grad", {x, stats[1], stats[2], dy, weight});
}

TEST(Softmax, ValuesAndGradients) {
  for (const char* name : {"softmax", "log_softmax"})
    for (int axis : {0, 1, -1}) {
      check_dtypes(name, {random({3, 4, 5}, kF64, -3, 3)}, {AttrValue(axis)});
      check_gradients(name, {random({2, 3, 4}, kF64)}, {AttrValue(axis)});
    }
  Tensor big = make({1, 2}, {1000, 1001});
  EXPECT_TRUE(close(run("softmax", {big}), make({1, 2}, {0.26894142, 0.73105858})));
  EXPECT_EQ(values_of(run("softmax", {make({}, {3})})), Doubles{1});
  EXPECT_EQ(run("softmax", {make({2, 0}, {})}).shape(), (Shape{2, 0}));
}

TEST(Losses, CrossEntropy) {
  Tensor logits = random({4, 5}, kF64), target = make({4}, {1, 4, 2, 3}, DType::kInt32);
  Tensor weight = random({5}, kF64, 0.2, 2), probabilities = random({4, 5}, kF64, 0, 1);
  for (const char* reduction : {"none", "mean", "sum"})
    for (double smoothing : {0.0, 0.1}) {
      Attrs attrs{AttrValue(2), AttrValue(reduction), AttrValue(smoothing)};
      check_dtypes("cross_entropy", {logits, target, weight}, attrs);
      check_gradients("cross_entropy", {logits, target}, attrs);
      check_gradients("cross_entropy", {logits, target, weight}, attrs, false);
      check_gradients("cross_entropy",
                      {random({2, 3, 2}, kF64), make({2, 2}, {0, 1, 2, 2}, DType::kInt64)}, attrs);
      check_gradients("cross_entropy", {logits, probabilities}, attrs);
    }
  EXPECT_EQ(error_of("cross_entropy", {logits, make({4}, {1, 5, 2, 3}, DType::kInt32)}),
            "IndexError: [nll_loss] target is out of range, got 5, expected 0 to 4");
  EXPECT_EQ(error_of("cross_entropy", {logits, make({3}, {1, 2, 3}, DType::kInt32)}),
            "ValueError: [cross_entropy] target must match, got 3 and 4 in shapes (4, 5), (3,)");
}

TEST(Losses, Elementwise) {
  Tensor x = random({3, 4}, kF64), y = random({3, 4}, kF64, 0, 1), w = random({4}, kF64, 0.5, 2);
  Tensor p = random({3, 4}, kF64, 0.1, 0.9);
  for (const char* reduction : {"none", "mean", "sum"}) {
    check_gradients("mse_loss", {x, y}, {AttrValue(reduction)});
    check_gradients("binary_cross_entropy", {p, y, w}, {AttrValue(reduction)});
    check_gradients("binary_cross_entropy_with_logits", {x, y, w, w}, {AttrValue(reduction)});
  }
  Tensor zero = make({1}, {0});
  EXPECT_TRUE(close(run("binary_cross_entropy_with_logits", {zero, zero}), make({}, {0.69314718})));
}

}  // namespace
}  // namespace msjit
