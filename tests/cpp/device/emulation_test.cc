// What GPUs would compute, by running the IR that becomes their PTX on the host: elementwise
// kernels give the host's bits, reductions agree within tolerance. MSJIT_FUZZ_GRAPHS and
// MSJIT_FUZZ_SEED say how many random graphs, and from which seed on.
#include <cstdlib>

#include "codegen/random_graph.h"
#include "codegen/region.h"
#include "device/device_graphs.h"
#include "device/kernel_run.h"

namespace msjit::testing {
namespace {

uint32_t number(const char* name, uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

void ask_for_kernels(const std::shared_ptr<Graph>& graph, bool open) {
  auto region = RegionFunction::create(graph, open);
  ASSERT_TRUE(region.ok()) << region.error().message;
}

TEST(Emulation, KernelsAgreeWithTheHost) {
  SpecCollector collector;
  size_t count = 0;
  for (const auto& graph : device_graphs()) ask_for_kernels(graph, count++ % 2);
  uint32_t seed = 0;
  for (const KernelSpec& spec : collector.take()) EXPECT_TRUE(agrees_with_host(spec, ++seed));
}

TEST(Emulation, KernelsOfRandomGraphsAgreeWithTheHost) {
  const uint32_t count = number("MSJIT_FUZZ_GRAPHS", 60), first = number("MSJIT_FUZZ_SEED", 0);
  SpecCollector collector;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    std::mt19937 rng(seed * 7919 + 1);
    std::vector<Dim> sizes;
    for (int i = 0; i < 3; ++i) sizes.push_back(2 + rng() % (rng() % 4 ? 9 : 70));
    ask_for_kernels(RandomGraph(seed, sizes).graph(), rng() % 2);
  }
  const std::vector<KernelSpec> specs = collector.take();
  EXPECT_GT(specs.size(), count / 2);
  uint32_t seed = first;
  for (const KernelSpec& spec : specs) EXPECT_TRUE(agrees_with_host(spec, ++seed));
}

}  // namespace
}  // namespace msjit::testing
