// Images that lie in memory channels last: networks of convolutions, poolings and normalisations,
// compiled and op by op, against the operators run one by one.
#include "codegen/graph_maker.h"
#include "codegen/region.h"
#include "kernels/cpu/onednn.h"

namespace msjit::testing {
namespace {

constexpr double kTolerance = 2e-4;  // of the largest element of a result

// A network over images drawn from a seed.
class RandomNet {
 public:
  explicit RandomNet(uint32_t seed) : rng_(seed) {
    images_.push_back(maker_.input(DType::kFloat32, {2 + pick(2), 3, 20, 20}));
    conv(images_[0], 16, 3, 1);
    for (int i = 0, count = 3 + pick(9); i < count; ++i) layer();
    maker_.output(any());
    if (pick(3)) maker_.output(list("mean", images_.back(), IntList{2, 3}, pick(2)));
    if (pick(4) == 0) maker_.output(list("sum", any(), IntList{0, 2, 3}, false));
  }
  const std::shared_ptr<Graph>& graph() const { return maker_.graph(); }

 private:
  int pick(int count) { return static_cast<int>(rng_() % static_cast<uint32_t>(count)); }
  const Val& any() {
    return images_[1 + static_cast<size_t>(pick(static_cast<int>(images_.size()) - 1))];
  }
  void add(const Val& v) {
    if (v && v.shape().numel() >= 2) images_.push_back(v);
  }
  Val list(const char* name, const Val& x, IntList axes, bool keepdims) {
    return maker_.call(name, {x},
                       {{"axis", AttrValue(std::move(axes))}, {"keepdims", AttrValue(keepdims)}});
  }
  Val vector(Dim size) { return maker_.input(DType::kFloat32, {size}); }

  void conv(const Val& x, Dim channels, Dim kernel, Dim groups) {
    const Val weight =
        maker_.input(DType::kFloat32, {channels, x.shape()[1] / groups, kernel, kernel});
    const Val y = maker_.try_call("conv2d", {x, weight, pick(2) ? vector(channels) : Val()},
                                  {{"padding", AttrValue(IntList{kernel / 2})},
                                   {"stride", AttrValue(IntList{1 + (pick(5) == 0)})},
                                   {"groups", AttrValue(int64_t{groups})}});
    if (y) add(maker_.call("tanh", {maker_.call("mul", {y, maker_.number(0.05)})}));
  }

  void layer() {
    const Val x = any();
    const Dim channels = x.shape()[1];
    switch (pick(10)) {
      case 0: return conv(x, channels, pick(2) ? 3 : 1, channels);
      case 1:
      case 2: return conv(x, pick(2) ? 16 : 24, pick(2) ? 3 : 1, 1);
      case 3: return normalise(x);
      case 4: return pool(x);
      case 5:
      case 6: return join(x);
      case 7: return add(maker_.call(pick(2) ? "relu" : "sigmoid", {x}));
      case 8: return gate(x);
      case 9: return view(x);
    }
  }
  void normalise(const Val& x) {
    const Dim size = x.shape()[1];
    if (pick(2)) return add(maker_.call("batch_norm_train", {x, vector(size), vector(size)}));
    const Val variance =
        maker_.call("add", {maker_.call("square", {vector(size)}), maker_.number(0.5)});
    add(maker_.call("batch_norm", {x, vector(size), vector(size), vector(size), variance}));
  }
  void pool(const Val& x) {
    add(maker_.try_call(pick(2) ? "max_pool2d" : "avg_pool2d", {x},
                        {{"kernel_size", AttrValue(IntList{3})},
                         {"stride", AttrValue(IntList{1 + pick(2)})},
                         {"padding", AttrValue(IntList{1})},
                         {"ceil_mode", AttrValue(pick(4) == 0)}}));
  }
  void join(const Val& x) {
    for (const Val& y : std::vector<Val>(images_.begin() + 1, images_.end())) {
      if (y.id() == x.id() || !(y.shape() == x.shape())) continue;
      if (pick(4)) return add(maker_.call("add", {x, y}));
      return add(maker_.try_call("concat", {x, y}, {{"axis", AttrValue(int64_t{1})}}));
    }
  }
  void gate(const Val& x) {
    add(maker_.call("mul", {x, maker_.call("sigmoid", {list("mean", x, IntList{2, 3}, true)})}));
  }
  void view(const Val& x) {
    if (pick(2))
      return add(maker_.call("transpose", {x}, {{"perm", AttrValue(IntList{0, 1, 3, 2})}}));
    const Shape& s = x.shape();
    const Val flat = maker_.call("reshape", {x}, {{"shape", AttrValue(IntList{s[0], -1})}});
    add(maker_.call("reshape", {maker_.call("tanh", {flat})},
                    {{"shape", AttrValue(IntList{s[0], s[1], s[2], s[3]})}}));
  }

  std::mt19937 rng_;
  GraphMaker maker_;
  std::vector<Val> images_;
};

::testing::AssertionResult close(const Tensor& got, const Tensor& want) {
  if (!got || !want) return ::testing::AssertionResult(!got == !want);
  if (!(got.shape() == want.shape())) return ::testing::AssertionFailure() << "another shape";
  const Tensor a = got.to_contiguous().take(), b = want.to_contiguous().take();
  double scale = 1;
  for (int64_t i = 0; i < b.numel(); ++i) scale = std::max(scale, std::fabs(element(b, i)));
  for (int64_t i = 0; i < b.numel(); ++i)
    if (!(std::fabs(element(a, i) - element(b, i)) <= kTolerance * scale))
      return ::testing::AssertionFailure()
             << "element " << i << ": " << element(a, i) << " instead of " << element(b, i);
  return ::testing::AssertionSuccess();
}

void check_values(Executable& executable, std::span<const Tensor> inputs,
                  std::span<const Tensor> want) {
  std::vector<Tensor> outputs(want.size());
  const Status status = executable.run(headers(inputs), outputs);
  ASSERT_TRUE(status.ok()) << status.error().message;
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_TRUE(close(outputs[i], want[i])) << i;
    ASSERT_EQ(outputs[i].strides(), want[i].strides());
  }
}

void check_gradients(RegionFunction& region, std::span<const Tensor> inputs) {
  const std::vector<Tensor> eager = copies(inputs, true), mine = copies(inputs, true);
  auto expected = interpret(*region.graph().value(), eager);
  ASSERT_TRUE(expected.ok());
  std::vector<Tensor> outputs(expected.value().size());
  ASSERT_TRUE(region.call(headers(mine), outputs).ok());
  const auto want = gradients(expected.value(), {}, eager, false),
             got = gradients(outputs, {}, mine, false);
  ASSERT_TRUE(want.ok() && got.ok());
  for (size_t i = 0; i < want.value().size(); ++i)
    ASSERT_TRUE(close(got.value()[i], want.value()[i])) << "gradient " << i;
}

TEST(ChannelsLast, RandomNetsAgreeWithTheEvaluator) {
  int chosen = 0;
  for (uint32_t seed = 0; seed < 40 && !HasFatalFailure(); ++seed) {
    const RandomNet net(seed);
    std::mt19937 rng(seed);
    const std::vector<Tensor> inputs = random_inputs(rng, *net.graph());
    const auto want = interpret(*net.graph(), inputs);
    ASSERT_TRUE(want.ok()) << want.error().message;
    auto executable = Executable::compile(*net.graph());
    ASSERT_TRUE(executable.ok()) << executable.error().message;
    check_values(*executable.value(), inputs, want.value());  // mostly op by op
    executable.value()->wait_compiled();
    check_values(*executable.value(), inputs, want.value());
    auto region = RegionFunction::create(net.graph(), false);
    ASSERT_TRUE(region.ok());
    for (int round = 0; round < 2; ++round) {
      check_gradients(*region.value(), inputs);
      region.value()->wait_compiled();
    }
    const std::string plan = executable.value()->describe();
    chosen += plan.find("NHWC") != std::string::npos;
    if (HasFatalFailure()) ADD_FAILURE() << "seed " << seed << "\n" << print(*net.graph()) << plan;
  }
  if (onednn::prefers_channels_last()) {
    EXPECT_GE(chosen, 15);
  }
}

// conv - norm - relu - conv - norm - relu - add: all images but the input and the output are
// channels last.
TEST(ChannelsLast, StaysSoBetweenConvolutions) {
  if (!onednn::prefers_channels_last()) GTEST_SKIP();
  GraphMaker g;
  const Val x = g.input(DType::kFloat32, {2, 16, 16, 16});
  const auto layer = [&](const Val& v) {
    const Val y = g.call("conv2d", {v, g.input(DType::kFloat32, {16, 16, 3, 3}), Val()},
                         {{"padding", AttrValue(IntList{1})}});
    const auto a_channel = [&] { return g.input(DType::kFloat32, {16}); };
    return g.call("batch_norm_train", {y, a_channel(), a_channel()});
  };
  const Val a = g.call("relu", {layer(x)}), b = g.call("relu", {layer(a)});
  g.output(g.call("mean", {g.call("add", {a, b})}, {{"axis", AttrValue(IntList{2, 3})}}));
  auto executable = Executable::compile(*g.graph());
  ASSERT_TRUE(executable.ok());
  const std::string plan = executable.value()->describe();
  int images = 0;
  for (size_t at = plan.find("[2, 16, 16, 16] arena"); at != std::string::npos;
       at = plan.find("[2, 16, 16, 16] arena", at + 1)) {
    const std::string slot = plan.substr(at, plan.find_first_of(",)", at + 16) - at);
    EXPECT_NE(slot.find("NHWC"), std::string::npos) << plan;
    ++images;
  }
  EXPECT_GE(images, 4);
}

// The bytes that convolutions read are channels last too, and so are the loops that make them of
// floats.
TEST(ChannelsLast, BytesBetweenConvolutions) {
  if (!onednn::prefers_channels_last()) GTEST_SKIP();
  GraphMaker g;
  const Val x = g.input(DType::kFloat32, {2, 16, 16, 16});
  const auto layer = [&](const Val& v, DType dtype) {
    const Val rounded = g.call("round", {g.call("mul", {v, g.number(20.0)})});
    const Val kept =
        g.call("clip", {rounded}, {{"min", AttrValue(0.0)}, {"max", AttrValue(100.0)}});
    const Val bytes = g.call("cast", {kept}, {{"dtype", AttrValue(dtype)}});
    const Val weight = g.call("cast", {g.input(DType::kFloat32, {16, 16, 3, 3})},
                              {{"dtype", AttrValue(DType::kInt8)}});
    return g.call("int8_conv2d", {bytes, weight, g.input(DType::kFloat32, {16}), Val()},
                  {{"padding", AttrValue(IntList{1})}});
  };
  const Val first = g.call("tanh", {layer(x, DType::kInt8)});
  g.output(g.call("mean", {layer(first, DType::kUInt8)}, {{"axis", AttrValue(IntList{2, 3})}}));
  auto executable = Executable::compile(*g.graph());
  ASSERT_TRUE(executable.ok()) << executable.error().message;
  const std::string plan = executable.value()->describe();
  EXPECT_NE(plan.find("uint8[2, 16, 16, 16] arena"), std::string::npos) << plan;
  for (size_t at = plan.find("uint8[2, 16, 16, 16] arena"); at != std::string::npos;
       at = plan.find("uint8[2, 16, 16, 16] arena", at + 1))
    EXPECT_NE(plan.substr(at, plan.find_first_of(",)", at + 22) - at).find("NHWC"),
              std::string::npos)
        << plan;
  std::mt19937 rng(1);
  const std::vector<Tensor> inputs = random_inputs(rng, *g.graph());
  const auto want = interpret(*g.graph(), inputs);
  ASSERT_TRUE(want.ok());
  check_values(*executable.value(), inputs, want.value());
  executable.value()->wait_compiled();
  check_values(*executable.value(), inputs, want.value());
}

// One kernel reads several images that are channels last. It writes the output, which is channels
// first.
TEST(ChannelsLast, SumThatLeaves) {
  for (const Dim channels : {16, 20, 37}) {
    GraphMaker g;
    const Val x = g.input(DType::kFloat32, {2, 16, 16, 16});
    Val sum;
    for (int i = 0; i < 4; ++i) {
      const Val y = g.call("conv2d", {x, g.input(DType::kFloat32, {channels, 16, 1, 1}), Val()});
      sum = sum ? g.call("add", {sum, y}) : y;
    }
    g.output(sum);
    std::mt19937 rng(1);
    const std::vector<Tensor> inputs = random_inputs(rng, *g.graph());
    const auto want = interpret(*g.graph(), inputs);
    ASSERT_TRUE(want.ok());
    auto executable = Executable::compile(*g.graph());
    ASSERT_TRUE(executable.ok());
    executable.value()->wait_compiled();
    check_values(*executable.value(), inputs, want.value());
  }
}

// An image that is an output of the run, or that a view reads, stays channels first.
TEST(ChannelsLast, WhatLeavesIsPlain) {
  GraphMaker g;
  const Val x = g.input(DType::kFloat32, {2, 16, 16, 16});
  const Val y = g.call("conv2d", {x, g.input(DType::kFloat32, {16, 16, 3, 3}), Val()});
  g.output(g.call("relu", {y}));
  auto executable = Executable::compile(*g.graph());
  ASSERT_TRUE(executable.ok());
  EXPECT_EQ(executable.value()->describe().find("NHWC"), std::string::npos);
}

}  // namespace
}  // namespace msjit::testing
