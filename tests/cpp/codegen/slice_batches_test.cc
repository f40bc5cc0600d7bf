// Networks whose batch goes through them a few images at a time.
#include "codegen/graph_maker.h"

namespace msjit::testing {
namespace {

constexpr Dim kBatch = 6, kSize = 240;  // 16 channels of such images: 22 MB

class Network : public GraphMaker {
 public:
  Val conv(const Val& x, Dim channels, int64_t stride = 1) {
    const Val weight = input(DType::kFloat32, {channels, x.shape()[1], 3, 3});
    const Val y =
        call("conv2d", {x, weight, input(DType::kFloat32, {channels})},
             {{"padding", AttrValue(IntList{1})}, {"stride", AttrValue(IntList{stride})}});
    return call("mul", {y, number(0.05)});
  }
  Val mean(const Val& x, IntList axes) {
    return call("mean", {x}, {{"axis", AttrValue(std::move(axes))}});
  }
};

// The number of loops in the plan.
int check(const Graph& graph) {
  std::mt19937 rng(5);
  const std::vector<Tensor> inputs = random_inputs(rng, graph);
  const auto want = interpret(graph, inputs);
  EXPECT_TRUE(want.ok()) << want.error().message;
  auto executable = Executable::compile(graph);
  EXPECT_TRUE(executable.ok()) << executable.error().message;
  for (int round = 0; round < 2; ++round) {
    std::vector<Tensor> outputs(graph.outputs.size());
    const Status status = executable.value()->run(headers(inputs), outputs);
    EXPECT_TRUE(status.ok()) << status.error().message;
    for (size_t i = 0; i < outputs.size(); ++i)
      EXPECT_TRUE(same(outputs[i], want.value()[i], 1e-4)) << i;
    executable.value()->wait_compiled();
  }
  const std::string plan = executable.value()->describe();
  int loops = 0;
  for (size_t at = plan.find(" scan ("); at != std::string::npos; at = plan.find(" scan (", at + 1))
    ++loops;
  return loops;
}

TEST(SliceBatches, ResidualNetwork) {
  Network net;
  const Val a =
      net.call("relu", {net.conv(net.input(DType::kFloat32, {kBatch, 3, kSize, kSize}), 16)});
  const Val b = net.call("add", {a, net.conv(a, 16)});
  const Val c = net.call("tanh", {net.conv(b, 16, 2)});
  const Val flat =
      net.call("reshape", {net.mean(c, {2, 3})}, {{"shape", AttrValue(IntList{kBatch, 4, 4})}});
  net.output(net.call("mul", {flat, net.input(DType::kFloat32, {kBatch, 1, 4})}));
  EXPECT_EQ(check(*net.graph()), 1);
}

// Large layers are one loop over slices of the batch. Small layers behind them are a separate loop
// or none.
TEST(SliceBatches, LayersOfOtherSizes) {
  Network net;
  Val x = net.call("relu", {net.conv(net.input(DType::kFloat32, {kBatch, 3, kSize, kSize}), 16)});
  x = net.call("relu", {net.conv(x, 16)});
  for (int i = 0; i < 3; ++i) x = net.call("relu", {net.conv(x, 16, 2)});
  net.output(x);
  EXPECT_EQ(check(*net.graph()), 1);
}

// A value that all rows of the batch go into is computed after the loop.
TEST(SliceBatches, StatisticsOfTheBatch) {
  Network net;
  Val x = net.call("relu", {net.conv(net.input(DType::kFloat32, {kBatch, 3, kSize, kSize}), 16)});
  x = net.mean(net.call("relu", {net.conv(x, 16)}), {2, 3});
  net.output(net.call("sub", {x, net.mean(x, {0})}));
  EXPECT_EQ(check(*net.graph()), 1);
}

// Slicing saves nothing if every layer's result is an output. Small batches are not sliced either.
TEST(SliceBatches, OnlyWhereItPays) {
  Network leaves;
  Val x = leaves.input(DType::kFloat32, {kBatch, 3, kSize, kSize});
  for (int i = 0; i < 2; ++i) leaves.output(x = leaves.call("relu", {leaves.conv(x, 16)}));
  EXPECT_EQ(check(*leaves.graph()), 0);
  Network small;
  x = small.input(DType::kFloat32, {4, 3, 32, 32});
  for (int i = 0; i < 3; ++i) x = small.call("relu", {small.conv(x, 16)});
  small.output(small.mean(x, {2, 3}));
  EXPECT_EQ(check(*small.graph()), 0);
}

// A value of which one reader takes slices and another one the whole.
TEST(SliceBatches, ReadBothWays) {
  Network net;
  const Val w = net.input(DType::kFloat32, {kBatch, 16, 1, 1});
  const Val a =
      net.call("relu", {net.conv(net.input(DType::kFloat32, {kBatch, 3, kSize, kSize}), 16)});
  const Val b = net.call("relu", {net.conv(net.call("mul", {a, w}), 16)});
  net.output(net.mean(net.call("conv2d", {b, w, Val()}), {2, 3}));
  EXPECT_EQ(check(*net.graph()), 0);
}

}  // namespace
}  // namespace msjit::testing
