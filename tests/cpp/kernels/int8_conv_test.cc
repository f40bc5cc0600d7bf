// Convolutions and products of 8-bit integers: oneDNN's and the loops for machines without
// instructions for them, against sums in 64 bits.
#include <array>
#include <random>

#include "kernels/cpu/int8_loops.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/packed.h"
#include "kernels/op_test.h"

namespace msjit {
namespace {

using namespace op_test;
using onednn::Window2d;

struct Problem {
  int64_t batch, in, out, groups, size, kernel, stride, dilation, begin, end;
};

Window2d window(const Problem& p) {
  const int64_t extent = p.dilation * (p.kernel - 1) + 1;
  const int64_t high = (p.size + p.begin + p.end - extent) / p.stride + 1;
  const int64_t wide = (p.size + 3 + p.begin + p.end - extent) / p.stride + 1;
  return {p.batch,
          p.in,
          p.out,
          p.groups,
          {p.size, p.size + 3},
          {high, wide},
          {p.kernel, p.kernel},
          {p.stride, p.stride},
          {p.dilation, p.dilation},
          {p.begin, p.begin},
          {p.end, p.end}};
}

// Whole numbers from `low` to `high`, multiples of `step`.
Tensor integers(const Shape& shape, DType dtype, int low, int high, int step = 1) {
  static std::mt19937 generator(3);
  std::uniform_int_distribution<int> uniform(low / step, high / step);
  Doubles values(static_cast<size_t>(shape.numel()));
  for (double& value : values) value = uniform(generator) * step;
  return make(shape, values, dtype);
}

// The sum behind one result.
int64_t sum_at(const Window2d& w, const Doubles& x, const Doubles& weight, int64_t n, int64_t o,
               int64_t row, int64_t column) {
  const int64_t in = w.in_channels / w.groups, group = o / (w.out_channels / w.groups);
  int64_t sum = 0;
  for (int64_t c = 0; c < in; ++c)
    for (int64_t i = 0; i < w.kernel[0]; ++i)
      for (int64_t j = 0; j < w.kernel[1]; ++j) {
        const int64_t h = row * w.stride[0] - w.pad_begin[0] + i * w.dilation[0];
        const int64_t v = column * w.stride[1] - w.pad_begin[1] + j * w.dilation[1];
        if (h < 0 || h >= w.in[0] || v < 0 || v >= w.in[1]) continue;
        const auto at = ((n * w.in_channels + group * in + c) * w.in[0] + h) * w.in[1] + v;
        const auto from = ((o * in + c) * w.kernel[0] + i) * w.kernel[1] + j;
        sum += static_cast<int64_t>(x[static_cast<size_t>(at)] * weight[static_cast<size_t>(from)]);
      }
  return sum;
}

void expect_sums(const Window2d& w, const Tensor& x, const Tensor& weight, const Tensor& scale,
                 const Tensor& bias, const Tensor& y) {
  const Doubles xs = values_of(x), weights = values_of(weight), scales = values_of(scale),
                terms = values_of(bias), found = values_of(y);
  size_t at = 0;
  for (int64_t n = 0; n < w.batch; ++n)
    for (int64_t o = 0; o < w.out_channels; ++o)
      for (int64_t row = 0; row < w.out[0]; ++row)
        for (int64_t column = 0; column < w.out[1]; ++column, ++at) {
          const auto channel = static_cast<size_t>(o);
          const double expected =
              static_cast<double>(sum_at(w, xs, weights, n, o, row, column)) * scales[channel] +
              terms[channel];
          ASSERT_NEAR(found[at], expected, 1e-6 * std::abs(expected) + 1e-4) << at;
        }
}

Tensor images_like(const Window2d& w, bool channels_last) {
  const Shape shape{w.batch, w.out_channels, w.out[0], w.out[1]};
  Tensor y = Tensor::empty(DType::kFloat32, shape).take();
  if (!channels_last) return y;
  return Tensor::from_storage(y.storage(), y.dtype(), shape, layout::channels_last_strides(shape),
                              0);
}

class Int8Conv : public testing::TestWithParam<Problem> {
 protected:
  // Runs `convolve(is_unsigned, x, weight, scale, bias, y)` on both kinds of bytes and orders.
  template <class F>
  void check(int largest, int step, F&& convolve) {
    const Window2d w = window(GetParam());
    const Shape images{w.batch, w.in_channels, w.in[0], w.in[1]};
    const Tensor scale = random({w.out_channels}), bias = random({w.out_channels});
    const Tensor weight =
        integers({w.out_channels, w.in_channels / w.groups, w.kernel[0], w.kernel[1]}, DType::kInt8,
                 -largest, std::min(largest, 127), step);
    for (const bool is_unsigned : {false, true}) {
      const Tensor plain = is_unsigned ? integers(images, DType::kUInt8, 0, 255)
                                       : integers(images, DType::kInt8, -128, 127);
      const Tensor x = layout::to_channels_last(plain).take();
      for (int round = 0; round < 4; ++round) {  // from the third on the weight is packed
        const Tensor y = images_like(w, round % 2 == 1);
        ASSERT_TRUE(convolve(w, is_unsigned, x, weight, scale, bias, y).ok());
        expect_sums(w, plain, weight, scale, bias, y);
      }
    }
  }
};

TEST_P(Int8Conv, LoopsAreExact) {
  check(128, 1,
        [](const Window2d& w, bool is_unsigned, const Tensor& x, const Tensor& weight,
           const Tensor& scale, const Tensor& bias, const Tensor& y) {
          return int8_loops::convolve(w, {x.data(),
                                          is_unsigned,
                                          weight,
                                          scale.data_as<float>(),
                                          bias.data_as<float>(),
                                          {y.data(), layout::is_channels_last(y)}});
        });
}

// Without its instructions oneDNN halves some weights and adds pairs of products in 16 bits: even
// numbers of at most 62 pass unharmed.
TEST_P(Int8Conv, LibraryIsExact) {
  const bool exact = onednn::multiplies_int8();
  check(exact ? 128 : 62, exact ? 1 : 2,
        [](const Window2d& w, bool is_unsigned, const Tensor& x, const Tensor& weight,
           const Tensor& scale, const Tensor& bias, const Tensor& y) {
          return onednn::int8_conv(w, is_unsigned, {x.data(), true}, weight, scale.data_as<float>(),
                                   bias.data_as<float>(), {y.data(), layout::is_channels_last(y)});
        });
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Int8Conv,
    testing::Values(Problem{2, 16, 20, 1, 20, 3, 1, 1, 1, 1},  // threads take pixels of their own
                    Problem{2, 1, 3, 1, 12, 3, 1, 1, 1, 1}, Problem{1, 3, 17, 1, 12, 7, 2, 1, 3, 3},
                    Problem{1, 3, 16, 1, 9, 3, 1, 1, 1, 1}, Problem{2, 16, 33, 1, 8, 3, 2, 1, 0, 1},
                    Problem{1, 64, 64, 1, 7, 1, 1, 1, 0, 0}, Problem{2, 32, 8, 1, 9, 1, 2, 1, 0, 0},
                    Problem{1, 24, 24, 24, 9, 3, 1, 1, 1, 1},  // depthwise
                    Problem{2, 20, 20, 20, 8, 5, 2, 1, 2, 2}, Problem{1, 7, 7, 7, 9, 2, 1, 3, 0, 1},
                    Problem{1, 8, 12, 4, 9, 3, 1, 2, 2, 1}, Problem{2, 64, 32, 2, 6, 3, 1, 1, 1, 1},
                    Problem{1, 512, 20, 1, 5, 3, 1, 1, 1, 1}, Problem{3, 5, 1, 1, 4, 4, 3, 1, 3, 0},
                    Problem{1, 6, 18, 6, 7, 3, 1, 1, 1, 1}));

TEST(Int8Loops, ProductsAreExact) {
  for (const auto [rows, inner, cols] :
       {std::array<int64_t, 3>{1, 1, 1}, {5, 31, 17}, {64, 700, 40}, {3, 4096, 16}}) {
    const Tensor x = integers({rows, inner}, DType::kUInt8, 250, 255);
    const Tensor weight = integers({cols, inner}, DType::kInt8, -128, -120);
    const Tensor scale = random({cols});
    const Tensor y = Tensor::empty(DType::kFloat32, {rows, cols}).take();
    ASSERT_TRUE(int8_loops::multiply({rows, inner, cols, true}, x.data(), weight,
                                     scale.data_as<float>(), nullptr, y.data_as<float>())
                    .ok());
    const Doubles xs = values_of(x), weights = values_of(weight), scales = values_of(scale),
                  found = values_of(y);
    for (int64_t i = 0; i < rows * cols; ++i) {
      double sum = 0;
      for (int64_t k = 0; k < inner; ++k)
        sum += xs[static_cast<size_t>(i / cols * inner + k)] *
               weights[static_cast<size_t>(i % cols * inner + k)];
      const double expected = sum * scales[static_cast<size_t>(i % cols)];
      ASSERT_NEAR(found[static_cast<size_t>(i)], expected, 1e-6 * std::abs(expected)) << i;
    }
  }
}

// Two packed layouts of the same bytes are told apart, and writes to them are seen.
TEST(Int8Loops, PackedWeights) {
  const Tensor x = integers({1, 16, 6, 6}, DType::kInt8, -128, 127);
  Tensor weight = integers({64, 16, 3, 3}, DType::kInt8, -128, 127);
  const Tensor ones = make({64}, Doubles(64, 1.0));
  const Tensor other = Tensor::view(weight, {16, 64, 3, 3}, contiguous_strides({16, 64, 3, 3}), 0);
  const Tensor wide = integers({1, 64, 6, 6}, DType::kInt8, -128, 127);
  const Tensor few = make({16}, Doubles(16, 1.0));
  const int64_t before = packed::kept_bytes();
  for (int version = 0; version < 2; ++version) {
    const Tensor first = run("int8_conv2d", {x, weight, ones}),
                 second = run("int8_conv2d", {wide, other, few});
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(close(run("int8_conv2d", {x, weight, ones}), first, 0));
      EXPECT_TRUE(close(run("int8_conv2d", {wide, other, few}), second, 0));
    }
    EXPECT_GT(packed::kept_bytes(), before);
    const Tensor fresh = integers({64, 16, 3, 3}, DType::kInt8, -128, 127);
    run("assign", {weight, fresh});
    EXPECT_TRUE(
        close(run("int8_conv2d", {x, weight, ones}), run("int8_conv2d", {x, fresh, ones}), 0));
  }
}

TEST(Int8Conv2d, Errors) {
  const Tensor x = integers({1, 4, 5, 5}, DType::kInt8, 0, 9),
               weight = integers({2, 4, 3, 3}, DType::kInt8, 0, 9), scale = random({2});
  EXPECT_EQ(error_of("int8_conv2d", {random({1, 4, 5, 5}), weight, scale}),
            "TypeError: [int8_conv2d] x has a wrong dtype, got float32, expected int8 or uint8");
  EXPECT_EQ(error_of("int8_conv2d", {x, random({2, 4, 3, 3}), scale}),
            "TypeError: [int8_conv2d] weight has a wrong dtype, got float32, expected int8");
  EXPECT_EQ(error_of("int8_conv2d", {x, weight, random({3})}),
            "ValueError: [int8_conv2d] scale must match, got 3 and 2 in shapes (1, 4, 5, 5), "
            "(2, 4, 3, 3), (3,)");
  const Tensor many = integers({1, 65794, 1, 1}, DType::kInt8, 0, 1);
  EXPECT_EQ(error_of("int8_conv2d", {many, many, random({1})}),
            "ValueError: [int8_conv2d] weight has too many numbers an output channel, got 65794, "
            "expected at most 65793");
}

}  // namespace
}  // namespace msjit
