// Random graphs over every kind of operator: compiled regions, plain and for open sizes, their
// gradients, and results written over inputs, against the operators run one by one.
// MSJIT_FUZZ_GRAPHS and MSJIT_FUZZ_SEED say how many graphs, and from which seed on.
#include <cstdlib>

#include "codegen/random_graph.h"
#include "codegen/region.h"

namespace msjit::testing {
namespace {

constexpr double kTolerance = 1e-3;  // of the largest element of a result

::testing::AssertionResult close(const Tensor& got, const Tensor& want) {
  if (!got || !want) return ::testing::AssertionResult(!got == !want);
  if (got.dtype() != want.dtype() || !(got.shape() == want.shape()))
    return ::testing::AssertionFailure() << got.meta().str() << " instead of " << want.meta().str();
  const Tensor a = got.to_contiguous().take(), b = want.to_contiguous().take();
  double scale = 1;
  for (int64_t i = 0; i < b.numel(); ++i)
    if (std::isfinite(element(b, i))) scale = std::max(scale, std::fabs(element(b, i)));
  for (int64_t i = 0; i < b.numel(); ++i) {
    const double x = element(a, i), y = element(b, i);
    if ((std::isnan(x) && std::isnan(y)) || x == y || std::fabs(x - y) <= kTolerance * scale)
      continue;
    return ::testing::AssertionFailure() << "element " << i << ": " << x << " instead of " << y;
  }
  return ::testing::AssertionSuccess();
}

// The gradients of the first outputs; empty where none is asked for or the eager tape has none.
std::vector<Tensor> gradients_of(std::span<const Tensor> outputs, std::span<const Tensor> inputs) {
  std::vector<Tensor> roots;
  for (const Tensor& t : outputs)
    if (is_tracked(t)) roots.push_back(t);
  if (roots.empty()) return {};
  auto grads = gradients(roots, {}, inputs, false);
  EXPECT_TRUE(grads.ok()) << grads.error().message;
  return grads.ok() ? grads.take() : std::vector<Tensor>();
}

void check_values(RegionFunction& region, std::span<const Tensor> inputs,
                  std::span<const Tensor> want) {
  const auto graph = region.graph().value();
  for (const bool in_place : {false, true}) {
    std::vector<Tensor> mine = copies(inputs, false), outputs(want.size());
    PendingRun pending;
    const Status status = region.call(headers(mine), outputs, false, in_place ? &pending : nullptr);
    ASSERT_TRUE(status.ok()) << status.error().message;
    ASSERT_TRUE(pending.commit().ok());
    for (const Overwrite& overwrite : graph->overwrites)
      if (!outputs[overwrite.output]) outputs[overwrite.output] = mine[overwrite.input];
    for (size_t i = 0; i < want.size(); ++i) ASSERT_TRUE(close(outputs[i], want[i])) << i;
  }
}

void check_gradients(RegionFunction& region, std::span<const Tensor> inputs) {
  const std::vector<Tensor> eager = copies(inputs, true), mine = copies(inputs, true);
  auto expected = interpret(*region.graph().value(), eager);
  ASSERT_TRUE(expected.ok());
  std::vector<Tensor> outputs(expected.value().size());
  const Status status = region.call(headers(mine), outputs);
  ASSERT_TRUE(status.ok()) << status.error().message;
  const std::vector<Tensor> want = gradients_of(expected.value(), eager),
                            got = gradients_of(outputs, mine);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) ASSERT_TRUE(close(got[i], want[i])) << "gradient " << i;
}

// `like`: of the same seed with other sizes, or null.
Result<std::shared_ptr<RegionFunction>> sized_region(uint32_t seed, std::vector<Dim> sizes,
                                                     const std::shared_ptr<RegionFunction>& like) {
  return RegionFunction::create_sized(
      [seed, sizes] { return Result(RandomGraph(seed, sizes).graph()); }, like);
}

void check_seed(uint32_t seed) {
  std::mt19937 rng(seed * 7919 + 1);
  const bool open = rng() % 2;
  std::shared_ptr<RegionFunction> last;
  for (int round = 0; round < (open ? 3 : 1); ++round) {
    std::vector<Dim> sizes;
    for (int i = 0; i < 3; ++i) sizes.push_back(2 + rng() % (rng() % 4 ? 9 : 70));
    const RandomGraph random(seed, sizes);
    auto region =
        open ? sized_region(seed, sizes, last) : RegionFunction::create(random.graph(), false);
    ASSERT_TRUE(region.ok()) << region.error().message;
    last = region.value();
    const std::vector<Tensor> inputs = random_inputs(rng, *random.graph());
    auto want = interpret(*random.graph(), inputs);
    ASSERT_TRUE(want.ok()) << want.error().message;
    check_values(*region.value(), inputs, want.value());  // op by op
    region.value()->wait_compiled();
    check_values(*region.value(), inputs, want.value());
    check_gradients(*region.value(), inputs);  // compiles
    region.value()->wait_compiled();
    check_gradients(*region.value(), inputs);
    if (::testing::Test::HasFatalFailure()) {
      ADD_FAILURE() << "seed " << seed << "\n"
                    << print(*random.graph()) << region.value()->executable().describe();
      return;
    }
  }
}

TEST(GraphFuzz, RandomGraphsAgreeWithTheEvaluator) {
  const auto number = [](const char* name, uint32_t otherwise) {
    const char* text = std::getenv(name);
    return text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
  };
  const uint32_t count = number("MSJIT_FUZZ_GRAPHS", 60), first = number("MSJIT_FUZZ_SEED", 0);
  for (uint32_t seed = first; seed < first + count && !HasFatalFailure(); ++seed) check_seed(seed);
}

}  // namespace
}  // namespace msjit::testing
