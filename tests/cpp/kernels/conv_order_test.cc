// Convolutions of channels-last images give what those of channels-first images give, also of few
// channels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/core/tensor.h"
#include "kernels/cpu/onednn.h"

namespace msjit {
namespace {

using Floats = std::vector<float>;

struct Case {
  int64_t in_channels, out_channels, kernel, stride;
};

onednn::Window2d window(const Case& c) {
  constexpr int64_t kBatch = 32, kSize = 8;
  const int64_t pad = c.kernel / 2, out = (kSize + 2 * pad - c.kernel) / c.stride + 1;
  return {kBatch,     c.in_channels,        c.out_channels,       1,      {kSize, kSize},
          {out, out}, {c.kernel, c.kernel}, {c.stride, c.stride}, {1, 1}, {pad, pad},
          {pad, pad}};
}

Floats random_floats(int64_t count) {
  static std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Floats made(static_cast<size_t>(count));
  for (float& value : made) value = uniform(generator);
  return made;
}

Floats channels_last(const Floats& images, int64_t batch, int64_t channels, int64_t pixels) {
  Floats moved(images.size());
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t p = 0; p < pixels; ++p)
        moved[(n * pixels + p) * channels + c] = images[(n * channels + c) * pixels + p];
  return moved;
}

void expect_near(const Floats& found, const Floats& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], 1e-3f * std::max(1.0f, std::abs(expected[i]))) << i;
}

class ConvOrder : public testing::TestWithParam<Case> {};

TEST_P(ConvOrder, GradientsAreEqual) {
  const onednn::Window2d w = window(GetParam());
  const int64_t pixels = w.in[0] * w.in[1], out_pixels = w.out[0] * w.out[1];
  const int64_t weights = w.in_channels * w.out_channels * w.kernel[0] * w.kernel[1];
  const Floats x = random_floats(w.batch * w.in_channels * pixels);
  const Floats dy = random_floats(w.batch * w.out_channels * out_pixels);
  const Floats weight = random_floats(weights);
  const Floats x_last = channels_last(x, w.batch, w.in_channels, pixels);
  const Floats dy_last = channels_last(dy, w.batch, w.out_channels, out_pixels);
  for (int repeat = 0; repeat < 3; ++repeat) {
    Floats first(weight.size()), last(weight.size());
    constexpr DType kDType = DType::kFloat32;
    ASSERT_TRUE(onednn::conv_weight_grad(w, kDType, {x.data()}, {dy.data()}, first.data()).ok());
    ASSERT_TRUE(onednn::conv_weight_grad(w, kDType, {x_last.data(), true}, {dy_last.data(), true},
                                         last.data())
                    .ok());
    expect_near(last, first);
    Floats dx(x.size()), dx_last(x.size());
    ASSERT_TRUE(onednn::conv_input_grad(w, kDType, {dy.data()}, weight.data(), {dx.data()}).ok());
    ASSERT_TRUE(onednn::conv_input_grad(w, kDType, {dy_last.data(), true}, weight.data(),
                                        {dx_last.data(), true})
                    .ok());
    expect_near(dx_last, channels_last(dx, w.batch, w.in_channels, pixels));
  }
}

TEST_P(ConvOrder, ResultsAreEqual) {
  const onednn::Window2d w = window(GetParam());
  const int64_t pixels = w.in[0] * w.in[1], out_pixels = w.out[0] * w.out[1];
  const Floats x = random_floats(w.batch * w.in_channels * pixels);
  const Floats x_last = channels_last(x, w.batch, w.in_channels, pixels);
  Tensor weight =
      Tensor::empty(DType::kFloat32, Shape{w.out_channels, w.in_channels, w.kernel[0], w.kernel[1]})
          .take();
  const Floats numbers = random_floats(weight.numel());
  std::copy(numbers.begin(), numbers.end(), weight.data_as<float>());
  for (int repeat = 0; repeat < 4; ++repeat) {  // from the third time on the weight is packed
    Floats y(w.batch * w.out_channels * out_pixels), y_last(y.size());
    ASSERT_TRUE(onednn::conv_forward(w, {x.data()}, weight, nullptr, {y.data()}).ok());
    ASSERT_TRUE(
        onednn::conv_forward(w, {x_last.data(), true}, weight, nullptr, {y_last.data(), true})
            .ok());
    expect_near(y_last, channels_last(y, w.batch, w.out_channels, out_pixels));
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (int64_t in : {1, 2, 4, 7, 8, 12, 16, 24})
    for (int64_t out : {4, 8, 16, 20})
      for (int64_t kernel : {1, 3})
        for (int64_t stride : {1, 2}) all.push_back({in, out, kernel, stride});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Channels, ConvOrder, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& info) {
                           const Case& c = info.param;
                           return "in" + std::to_string(c.in_channels) + "out" +
                                  std::to_string(c.out_channels) + "kernel" +
                                  std::to_string(c.kernel) + "stride" + std::to_string(c.stride);
                         });

}  // namespace
}  // namespace msjit
