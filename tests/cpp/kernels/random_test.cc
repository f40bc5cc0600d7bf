// The generator: reproducible, independent of the number of threads, of the right distribution.
#include "kernels/core/philox.h"

#include <cmath>

#include "kernels/cpu/parallel.h"
#include "kernels/op_test.h"

namespace msjit::op_test {
namespace {

TEST(Random, PhiloxKnownAnswer) {
  // Known-answer vector of Philox 4x32-10 for a zero key and counter.
  PhiloxBlock block = philox({0, 0}, 0);
  EXPECT_EQ(block.word[0], 0x6627e8d5u);
  EXPECT_EQ(block.word[1], 0xe169c58du);
  EXPECT_EQ(block.word[2], 0xbc57ac4cu);
  EXPECT_EQ(block.word[3], 0x9b00dbd8u);
}

TEST(Random, LanesAreBlocks) {
  const RandomState ticket{-3, 5};
  for (uint64_t first : {uint64_t{0}, uint64_t{77}, uint64_t{0xfffffff0}}) {
    const auto lanes = philox_lanes<32>(ticket, first);
    for (int i = 0; i < 32; ++i) {
      const PhiloxBlock block = philox(ticket, first + static_cast<uint64_t>(i));
      for (int k = 0; k < 4; ++k) EXPECT_EQ(lanes.word[k][i], block.word[k]);
    }
  }
}

// However many are drawn, the first ones are the same.
TEST(Random, ShorterDrawsAreBeginnings) {
  for (const char* name : {"random_uniform", "random_normal"})
    for (DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kFloat64}) {
      const auto draw = [&](int64_t n) {
        set_random_seed(11);
        return values_of(
            run(name, {}, {ints({n}), AttrValue(1.0), AttrValue(2.0), AttrValue(dtype)}));
      };
      const Doubles all = draw(300);
      for (int64_t n : {1, 3, 127, 128, 129, 257})
        EXPECT_EQ(draw(n), Doubles(all.begin(), all.begin() + n)) << name << n;
    }
}

TEST(Random, SameSeedSameNumbers) {
  auto draw = [] { return values_of(run("random_uniform", {}, {ints({100000})})); };
  set_random_seed(7);
  Doubles first = draw(), second = draw();
  EXPECT_NE(first, second);
  set_random_seed(7);
  set_num_threads(1);
  EXPECT_EQ(draw(), first);
  RandomState state = random_state();
  EXPECT_EQ(draw(), second);
  set_num_threads(0);
  set_random_state(state);
  EXPECT_EQ(draw(), second);
  set_random_seed(8);
  EXPECT_NE(draw(), first);
}

TEST(Random, Moments) {
  set_random_seed(1);
  for (DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16}) {
    Doubles u = values_of(run("random_uniform", {},
                              {ints({200000}), AttrValue(-1.0), AttrValue(3.0), AttrValue(dtype)}));
    Doubles n = values_of(run("random_normal", {},
                              {ints({200000}), AttrValue(2.0), AttrValue(0.5), AttrValue(dtype)}));
    double mean_u = 0, mean_n = 0, square = 0;
    for (double v : u) mean_u += v / 200000;
    for (double v : n) mean_n += v / 200000;
    for (double v : n) square += (v - mean_n) * (v - mean_n) / 200000;
    EXPECT_NEAR(mean_u, 1, 0.02);
    EXPECT_NEAR(mean_n, 2, 0.01);
    EXPECT_NEAR(std::sqrt(square), 0.5, 0.01);
    for (double v : u) ASSERT_TRUE(v >= -1 && v <= 3);
  }
}

TEST(Random, Dropout) {
  set_random_seed(3);
  Tensor x = make({100000}, Doubles(100000, 1.0));
  Doubles y = values_of(run("dropout", {x}, {AttrValue(0.25)}));
  double kept = 0;
  for (double v : y) {
    ASSERT_TRUE(v == 0 || std::abs(v - 1 / 0.75) < 1e-6);
    kept += v != 0;
  }
  EXPECT_NEAR(kept / 100000, 0.75, 0.01);
  EXPECT_EQ(values_of(run("dropout", {x}, {AttrValue(0.0)})), values_of(x));
  EXPECT_EQ(error_of("dropout", {x}, {AttrValue(1.5)}).substr(0, 26), "ValueError: [dropout] p, g");
}

}  // namespace
}  // namespace msjit::op_test
