// Packed weights: the same bits as plain ones, made from the third use on, and never used after
// something may have written the weight.
#include "kernels/cpu/packed.h"

#include "kernels/cpu/layout.h"
#include "kernels/cpu/onednn.h"
#include "kernels/op_test.h"

namespace msjit {
namespace {

using namespace op_test;

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.nbytes() == b.nbytes() && std::memcmp(a.data(), b.data(), a.nbytes()) == 0;
}

// Runs `op` so often that a packed copy would be made if one were allowed, and compares every
// result.
void repeat(const char* op, const std::vector<Tensor>& in, const Attrs& attrs = {}) {
  Tensor first = run(op, in, attrs);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(same_bits(run(op, in, attrs), first)) << op << i;
}

TEST(Packed, SameBitsInEveryShape) {
  for (auto [m, k, n] : {std::array<int64_t, 3>{64, 784, 512},
                         {64, 256, 10},
                         {1, 300, 700},
                         {7, 33, 129},
                         {200, 65, 64},
                         {3, 1024, 17}}) {
    Tensor x = random({m, k}), weight = random({n, k}), bias = random({n});
    repeat("linear", {x, weight, bias});
    repeat("linear", {x, weight});
    repeat("linear_act", {x, weight, bias});
  }
  repeat("conv2d", {random({2, 16, 12, 12}), random({32, 16, 3, 3})});
}

// Whether kernels on this machine use packed weights at all.
bool packs() {
  Tensor x = random({8, 256}), weight = random({128, 256});
  int64_t before = packed::kept_bytes();
  repeat("linear", {x, weight});
  return packed::kept_bytes() > before;
}

TEST(Packed, CopiesGoWithTheStorage) {
  int64_t before = packed::kept_bytes();
  bool packed = packs();
  EXPECT_TRUE(packed || !onednn::multiplies(DType::kBFloat16)) << "AVX-512 kernels gain by it";
  EXPECT_EQ(packed::kept_bytes(), before);
}

TEST(Packed, WritesAreSeen) {
  Tensor x = random({8, 256}), weight = random({128, 256});
  for (int round = 0; round < 3; ++round) {
    repeat("linear", {x, weight});
    Tensor fresh = random({128, 256}, DType::kFloat32, -1, 1);
    run("assign", {weight, fresh});
    EXPECT_TRUE(same_bits(run("linear", {x, weight}), run("linear", {x, fresh}))) << round;
  }
}

TEST(Packed, MemoryThatOthersSeeIsReadPlainly) {
  Tensor x = random({8, 256}), weight = random({128, 256});
  int64_t before = packed::kept_bytes();
  weight.storage()->begin_export();
  repeat("linear", {x, weight});
  EXPECT_EQ(packed::kept_bytes(), before);
  weight.data_as<float>()[5] = 100;
  weight.storage()->end_export();
  Tensor copy = run("copy", {weight});
  EXPECT_TRUE(same_bits(run("linear", {x, weight}), run("linear", {x, copy})));
  repeat("linear", {x, weight});

  weight.storage()->begin_export();  // now with a copy in place
  weight.data_as<float>()[7] = -50;
  EXPECT_TRUE(same_bits(run("linear", {x, weight}), run("linear", {x, run("copy", {weight})})));
  weight.data_as<float>()[7] = 50;
  weight.storage()->end_export();
  EXPECT_TRUE(same_bits(run("linear", {x, weight}), run("linear", {x, run("copy", {weight})})));
}

TEST(Packed, ViewsOfOneStorage) {
  Tensor x = random({8, 256}), all = random({3, 128, 256});
  for (int i = 0; i < 3; ++i) {
    Tensor weight = Tensor::view(all, {128, 256}, {256, 1}, i * 128 * 256);
    Tensor want = run("linear", {x, run("copy", {weight})});
    for (int use = 0; use < 4; ++use) EXPECT_TRUE(same_bits(run("linear", {x, weight}), want));
  }
  for (int i = 0; i < 3; ++i) {
    Tensor weight = Tensor::view(all, {128, 256}, {256, 1}, i * 128 * 256);
    EXPECT_TRUE(same_bits(run("linear", {x, weight}), run("linear", {x, run("copy", {weight})})));
  }
  Tensor square = random({128, 128}), flipped = layout::swap_axes(square, 0, 1);
  Tensor y = random({8, 128});
  repeat("linear", {y, square});
  repeat("linear", {y, flipped});
  EXPECT_TRUE(same_bits(run("linear", {y, flipped}), run("linear", {y, run("copy", {flipped})})));
}

}  // namespace
}  // namespace msjit
