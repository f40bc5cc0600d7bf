// PTX of fused kernels: ptxas accepts it, and it contains what it should. All kernels go to ptxas
// at once, because it takes longer to start than to assemble one. With MSJIT_PTX=all, every kernel
// that the tests of this process have requested is assembled at the end, and tried on the host.
#include <gmock/gmock.h>

#include "codegen/random_graph.h"
#include "codegen/region.h"
#include "device/device_graphs.h"
#include "device/kernel_run.h"
#include "device/ptxas.h"
#include "kernels/core/log.h"

namespace msjit::testing {
namespace {

#define MSJIT_NEED_PTXAS() \
  if (find_ptxas().empty()) GTEST_SKIP() << "no ptxas on PATH, in CUDA_HOME or in /usr/local/cuda"

std::vector<KernelSpec> specs_of(const std::vector<std::shared_ptr<Graph>>& graphs) {
  SpecCollector collector;
  for (size_t i = 0; i < graphs.size(); ++i) {
    auto region = RegionFunction::create(graphs[i], i % 2);
    EXPECT_TRUE(region.ok()) << region.error().message;
  }
  return collector.take();
}

void expect_assembles(const std::vector<KernelSpec>& specs, int arch) {
  std::vector<std::string> kernels;
  for (const KernelSpec& spec : specs) {
    std::string error;
    kernels.push_back(ptx_of(spec, "fused_" + std::to_string(kernels.size()), arch, &error));
    EXPECT_FALSE(kernels.back().empty()) << error << " " << spec.str();
    // No functions of libdevice, and no maths less precise than the host's.
    for (const char* text : {".extern .func", ".approx", ".ftz"})
      EXPECT_EQ(kernels.back().find(text), std::string::npos) << text << "\n" << kernels.back();
  }
  EXPECT_EQ(assemble(kernels, arch), "");
}

TEST(Ptx, EveryKernelIsAssembled) {
  MSJIT_NEED_PTXAS();
  const std::vector<KernelSpec> specs = specs_of(device_graphs());
  EXPECT_GT(specs.size(), 50u);
  expect_assembles(specs, 80);
}

TEST(Ptx, KernelsOfRandomGraphsAreAssembledForAnotherArchitecture) {
  MSJIT_NEED_PTXAS();
  std::vector<std::shared_ptr<Graph>> graphs;
  for (uint32_t seed = 1000; seed < 1030; ++seed)
    graphs.push_back(RandomGraph(seed, std::vector<Dim>{9, 4, 66}).graph());
  expect_assembles(specs_of(graphs), 90);
}

std::string ptx_of_graph(GraphMaker& g, bool open = false) {
  SpecCollector collector;
  auto region = RegionFunction::create(g.graph(), open);
  EXPECT_TRUE(region.ok());
  const std::vector<KernelSpec> specs = collector.take();
  EXPECT_EQ(specs.size(), 1u);
  std::string error, ptx = ptx_of(specs[0], "fused", 80, &error);
  EXPECT_EQ(error, "");
  return ptx;
}

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Ptx, ElementwiseKernelsAccess16BytesAndContractNothing) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {1 << 20}), y = g.input(DType::kFloat32, {1 << 20});
  g.output(g.call("add", {g.call("mul", {x, y}), x}));
  const std::string ptx = ptx_of_graph(g);
  for (const char* text : {"ld.global.v4.", "st.global.v4.", "mul.rn.f32", "add.rn.f32",
                           ".target sm_80", ".maxntid", ".entry fused"})
    EXPECT_THAT(ptx, HasSubstr(text));
  EXPECT_THAT(ptx, Not(HasSubstr("fma.")));
  EXPECT_THAT(ptx, Not(HasSubstr("bar.sync")));
}

TEST(Ptx, LongRowsAreFoldedByABlockAndShortOnesByAWarp) {
  for (Dim length : {Dim{64}, Dim{2048}}) {
    GraphMaker g;
    g.output(g.call("softmax", {g.input(DType::kFloat32, {16, length})}));
    const std::string ptx = ptx_of_graph(g);
    EXPECT_THAT(ptx, HasSubstr("shfl.sync.bfly.b32"));
    EXPECT_EQ(ptx.find("bar.sync") != std::string::npos, length > 1000) << ptx;
    EXPECT_EQ(ptx.find(".shared") != std::string::npos, length > 1000) << ptx;
  }
}

TEST(Ptx, SizesOfOpenKernelsAreParameters) {
  GraphMaker g;
  Val x = g.input(DType::kFloat16, {6, 40});
  g.output(g.call("sub", {g.call("add", {x, x}), g.call("tanh", {x})}));
  EXPECT_THAT(ptx_of_graph(g, true), HasSubstr(".param .u64"));
}

// Collects from the start, for MSJIT_PTX=all.
class AllKernels final : public ::testing::Environment {
 public:
  void SetUp() override {
    if (env_text("MSJIT_PTX") == "all") collector_ = std::make_unique<SpecCollector>();
  }
  void TearDown() override {
    if (!collector_) return;
    const std::vector<KernelSpec> specs = collector_->take();
    std::printf("%zu kernels\n", specs.size());
    expect_assembles(specs, 80);
    uint32_t seed = 0;
    for (const KernelSpec& spec : specs) EXPECT_TRUE(agrees_with_host(spec, ++seed));
  }

 private:
  std::unique_ptr<SpecCollector> collector_;
};
[[maybe_unused]] auto* const g_all = ::testing::AddGlobalTestEnvironment(new AllKernels);

}  // namespace
}  // namespace msjit::testing
