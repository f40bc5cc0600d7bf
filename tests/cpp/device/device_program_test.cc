// Whole graphs on the device that checks streams, copies and lifetimes, against the operators run
// one by one.
#include <gtest/gtest.h>

#include "codegen/device_ops.h"
#include "codegen/random_graph.h"
#include "device/fake_device.h"
#include "graph/graph_sink.h"

namespace msjit::testing {
namespace {

constexpr Device kDevice{DeviceType::kCuda, 9};

// The same graph with inputs on the device. Empty if it combines them with constants on the host.
std::shared_ptr<Graph> on_device(const Graph& graph) {
  auto placed = std::make_shared<Graph>();
  GraphSink sink(placed);
  Vals inputs;
  for (ValueId id : graph.inputs) {
    Meta meta = graph.meta(id);
    meta.device = kDevice;
    inputs.push_back(sink.input(meta));
  }
  auto outputs = interpret_on(&sink, graph, inputs);
  if (!outputs.ok()) return nullptr;
  for (const Val& output : outputs.value()) placed->outputs.push_back(output.id());
  return placed;
}

class DeviceProgramTest : public ::testing::Test {
 protected:
  void SetUp() override { devices::replace_context(kDevice, &context); }
  void TearDown() override { devices::replace_context(kDevice, nullptr); }

  std::vector<Tensor> run(const Graph& graph, std::span<const Tensor> inputs, bool open = false) {
    const auto placed = on_device(graph);
    if (!placed) return {};
    auto program = DeviceProgram::compile(*placed, open, context);
    if (!program.ok()) {
      ADD_FAILURE() << program.error().message << print(graph);
      return {};
    }
    std::vector<Tensor> there, outputs(graph.outputs.size()), here;
    for (const Tensor& input : inputs) there.push_back(devices::to_device(input, kDevice).take());
    const Status status = program.value()->run(there, outputs);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message) << print(graph);
    if (!status.ok()) return {};
    for (const Tensor& output : outputs) here.push_back(devices::to_host(output).take());
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

TEST_F(DeviceProgramTest, OperatorsWithoutAKernelRunOnTheHost) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {4, 4});
  g.output(g.call("cumsum", {g.call("tanh", {x})}, {{"axis", AttrValue(int64_t{0})}}));
  std::mt19937 rng(1);
  const std::vector<Tensor> inputs = random_inputs(rng, *g.graph());
  EXPECT_TRUE(same(run(*g.graph(), inputs), interpret(*g.graph(), inputs).take(), 1e-5));
  EXPECT_EQ(device_code(context).host_runs.load(), 1);
}

TEST_F(DeviceProgramTest, MemoryIsUsedAgain) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {64, 64});
  g.output(g.call("softmax", {g.call("tanh", {x})}, {{"axis", AttrValue(int64_t{0})}}));
  std::mt19937 rng(1);
  const std::vector<Tensor> inputs = random_inputs(rng, *g.graph());
  run(*g.graph(), inputs);
  const int64_t requests = context.memory.stats().requests;
  for (int i = 0; i < 3; ++i) run(*g.graph(), inputs);
  EXPECT_EQ(context.memory.stats().requests, requests);
}

}  // namespace
}  // namespace msjit::testing
