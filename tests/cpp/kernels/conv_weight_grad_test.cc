// Gradients of weights, on one thread and on several, against their definition.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "kernels/cpu/onednn.h"
#include "kernels/cpu/parallel.h"

namespace msjit {
namespace {

struct Case {
  int64_t batch, in_channels, out_channels, groups, size, kernel, stride;
};

onednn::Window2d window(const Case& c) {
  const int64_t pad = c.kernel / 2, out = (c.size + 2 * pad - c.kernel) / c.stride + 1;
  return {c.batch,    c.in_channels,        c.out_channels,       c.groups, {c.size, c.size},
          {out, out}, {c.kernel, c.kernel}, {c.stride, c.stride}, {1, 1},   {pad, pad},
          {pad, pad}};
}

std::vector<float> random_floats(int64_t count) {
  static std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> made(static_cast<size_t>(count));
  for (float& value : made) value = uniform(generator);
  return made;
}

// One element of the gradient: of output channel `to`, input channel `from` of its group, and the
// kernel's position (ky, kx).
double element(const onednn::Window2d& w, const std::vector<float>& x, const std::vector<float>& dy,
               int64_t to, int64_t from, int64_t ky, int64_t kx) {
  const int64_t channel = to / (w.out_channels / w.groups) * (w.in_channels / w.groups) + from;
  double sum = 0;
  for (int64_t n = 0; n < w.batch; ++n)
    for (int64_t oy = 0; oy < w.out[0]; ++oy)
      for (int64_t ox = 0; ox < w.out[1]; ++ox) {
        const int64_t y = oy * w.stride[0] + ky - w.pad_begin[0],
                      column = ox * w.stride[1] + kx - w.pad_begin[1];
        if (y < 0 || y >= w.in[0] || column < 0 || column >= w.in[1]) continue;
        sum += double{x[((n * w.in_channels + channel) * w.in[0] + y) * w.in[1] + column]} *
               dy[((n * w.out_channels + to) * w.out[0] + oy) * w.out[1] + ox];
      }
  return sum;
}

class ConvWeightGrad : public testing::TestWithParam<Case> {};

TEST_P(ConvWeightGrad, IsItsDefinition) {
  const onednn::Window2d w = window(GetParam());
  const int64_t depth = w.in_channels / w.groups, taps = w.kernel[0] * w.kernel[1];
  const auto x = random_floats(w.batch * w.in_channels * w.in[0] * w.in[1]);
  const auto dy = random_floats(w.batch * w.out_channels * w.out[0] * w.out[1]);
  for (int threads : {1, 2, 3, 8}) {
    set_num_threads(threads);
    std::vector<float> found(static_cast<size_t>(w.out_channels * depth * taps), NAN);
    const bool ok =
        onednn::conv_weight_grad(w, DType::kFloat32, {x.data()}, {dy.data()}, found.data()).ok();
    set_num_threads(0);
    ASSERT_TRUE(ok);
    for (size_t i = 0; i < found.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      const double expected = element(w, x, dy, at / taps / depth, at / taps % depth,
                                      at % taps / w.kernel[1], at % w.kernel[1]);
      ASSERT_NEAR(found[i], expected, 1e-3) << "element " << i << ", " << threads << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ConvWeightGrad,
                         testing::Values(Case{5, 8, 16, 1, 20, 3, 1}, Case{7, 16, 32, 1, 15, 3, 2},
                                         Case{2, 64, 64, 1, 12, 1, 1},
                                         Case{4, 32, 32, 32, 24, 3, 1},
                                         Case{6, 12, 24, 4, 18, 3, 1}, Case{1, 16, 16, 1, 30, 3, 1},
                                         Case{3, 96, 96, 1, 4, 3, 1}, Case{9, 3, 8, 1, 2, 1, 1}));

// Images of 50 sizes in turn: after some rounds, the thread keeps the programs of all of them.
TEST(ConvPrograms, ThoseThatComeAgainAreKept) {
  std::vector<float> gradient(32 * 32);
  const auto round = [&] {
    for (int64_t size = 1; size <= 50; ++size)
      for (int64_t channels = 1; channels <= 24; ++channels) {
        const onednn::Window2d w = window({1, 1, channels, 1, size, 1, 1});
        std::vector<float> images(static_cast<size_t>(size * size * channels), 1.0f);
        ASSERT_TRUE(onednn::conv_weight_grad(w, DType::kFloat32, {images.data()}, {images.data()},
                                             gradient.data())
                        .ok());
      }
  };
  std::thread([&] {
    for (int times = 0; times < 4; ++times) round();
    const int64_t kept = onednn::cached_primitives();
    EXPECT_GT(kept, 2048);
    round();
    EXPECT_EQ(onednn::cached_primitives(), kept);
  }).join();
}

}  // namespace
}  // namespace msjit
