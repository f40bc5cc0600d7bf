// Whole graphs on the device that checks streams, copies and lifetimes, against the operators run
// one by one.
#include <gmock/gmock.h>

#include "codegen/device_program.h"
#include "codegen/random_graph.h"
#include "device/fake_device.h"

namespace msjit::testing {
namespace {

using ::testing::HasSubstr;

class DeviceProgramTest : public ::testing::Test {
 protected:
  void SetUp() override { devices::replace_context(kDevice, &context); }
  void TearDown() override { devices::replace_context(kDevice, nullptr); }

  std::vector<Tensor> run(const Graph& graph, std::span<const Tensor> inputs, bool open = false) {
    auto program = DeviceProgram::compile(graph, open, context);
    if (!program.ok()) {
      ADD_FAILURE() << program.error().message << print(graph);
      return {};
    }
    std::vector<Tensor> there, outputs(graph.outputs.size()), here;
    for (const Tensor& input : inputs) there.push_back(devices::to_device(input, kDevice).take());
    const Status status = program.value()->run(there, outputs);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message) << print(graph);
    if (!status.ok()) return {};
    for (const Tensor& output : outputs) {
      EXPECT_EQ(output.device(), kDevice) << print(graph);
      here.push_back(devices::to_host(output).take());
    }
    return here;
  }

  FakeDevice device;
  devices::Context context{device, kDevice, device.create_stream().take()};
};

TEST_F(DeviceProgramTest, RandomGraphsAgreeWithTheEvaluator) {
  int done = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 rng(seed);
    const RandomGraph random(seed, std::vector<Dim>{5, 3, 37});
    const std::vector<Tensor> inputs = random_inputs(rng, *random.graph());
    const std::vector<Tensor> got = run(*random.graph(), inputs, seed % 2);
    if (got.empty()) continue;
    ++done;
    auto want = interpret(*random.graph(), inputs);
    ASSERT_TRUE(want.ok());
    EXPECT_TRUE(same(got, want.value(), 1e-3)) << "seed " << seed << "\n" << print(*random.graph());
  }
  EXPECT_GT(done, 20);
}

TEST_F(DeviceProgramTest, ChunkedReductionsAndViews) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {300, 700});
  Val turned = g.call("transpose", {x}, {{"perm", AttrValue(IntList{1, 0})}});
  g.output(g.call("sum", {g.call("square", {x})}));
  g.output(g.call("add", {turned, g.number(1)}));
  g.output(turned);
  std::mt19937 rng(1);
  const std::vector<Tensor> inputs = random_inputs(rng, *g.graph());
  const std::vector<Tensor> got = run(*g.graph(), inputs);
  ASSERT_EQ(got.size(), 3u);
  EXPECT_TRUE(same(got, interpret(*g.graph(), inputs).take(), 1e-4));
}

TEST_F(DeviceProgramTest, OperatorsWithoutAKernelAreNamed) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {4, 4});
  g.output(g.call("matmul", {x, x}));
  std::mt19937 rng(1);
  EXPECT_TRUE(run(*g.graph(), random_inputs(rng, *g.graph())).empty());
  EXPECT_THAT(error, HasSubstr("[matmul] kernel of a device, got none"));
}

TEST_F(DeviceProgramTest, MemoryIsUsedAgain) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {64, 64});
  g.output(g.call("softmax", {g.call("tanh", {x})}, {{"axis", AttrValue(int64_t{0})}}));
  std::mt19937 rng(1);
  const std::vector<Tensor> inputs = random_inputs(rng, *g.graph());
  run(*g.graph(), inputs);
  const int64_t requests = memory.stats().requests;
  for (int i = 0; i < 3; ++i) run(*g.graph(), inputs);
  EXPECT_EQ(memory.stats().requests, requests);
}

}  // namespace
}  // namespace msjit::testing
