// Plans of one program for many sizes share their steps.
#include "codegen/graph_maker.h"
#include "codegen/region.h"
#include "codegen/runner.h"

namespace msjit::testing {
namespace {

// Products and fused loops of open and of constant sizes, and a slice that depends on the number of
// rows.
std::shared_ptr<Graph> make(Dim rows) {
  GraphMaker g;
  const Val x = g.input(DType::kFloat32, {rows, 8}), w = g.input(DType::kFloat32, {8, 8});
  const auto fused = [&g](const Val& v) { return g.call("tanh", {g.call("sin", {v})}); };
  const Val scores = fused(g.call("matmul", {x, w})), fixed = fused(g.call("matmul", {w, w}));
  const Val all = g.call("matmul", {scores, fixed});
  g.output(all);
  g.output(g.call("slice", {all},
                  {{"begin", AttrValue(IntList{0, 0})},
                   {"end", AttrValue(IntList{rows - 1, 8})},
                   {"step", AttrValue(IntList{1, 1})}}));
  return g.graph();
}

std::shared_ptr<RegionFunction> region_for(Dim rows, const std::shared_ptr<RegionFunction>& like) {
  auto made = RegionFunction::create_sized([rows] { return Result(make(rows)); }, like);
  EXPECT_TRUE(made.ok());
  made.value()->wait_compiled();
  return made.take();
}

std::vector<Tensor> results_of(RegionFunction& region, std::span<const Tensor> inputs) {
  std::vector<TensorImpl*> in;
  for (const Tensor& t : inputs) in.push_back(t.impl());
  std::vector<Tensor> out(2);
  EXPECT_TRUE(region.call(in, out).ok());
  return out;
}

const PlanRunner& runner_of(const RegionFunction& region) { return *region.executable().runner(); }

size_t shared_steps(const RegionFunction& a, const RegionFunction& b) {
  const Plan &x = runner_of(a).plan(), &y = runner_of(b).plan();
  EXPECT_EQ(x.steps.size(), y.steps.size());
  size_t count = 0;
  for (size_t s = 0; s < x.steps.size(); ++s) count += x.steps[s].same(y.steps[s]);
  return count;
}

TEST(SharedSteps, AllButThoseWithSizesAmongTheirAttributes) {
  const auto five = region_for(5, nullptr), seven = region_for(7, five);
  EXPECT_EQ(shared_steps(*five, *seven), runner_of(*five).plan().steps.size() - 1);
  EXPECT_NE(runner_of(*five).plan().graph, nullptr);
  EXPECT_EQ(runner_of(*seven).plan().graph, nullptr);
  size_t same = 0, other = 0;
  const auto &a = runner_of(*five).units(), &b = runner_of(*seven).units();
  for (size_t s = 0; s < a.size(); ++s)
    if (a[s]) ++(a[s] == b[s] ? same : other);
  EXPECT_EQ(same, 1u) << "the loop whose sizes do not change";
  EXPECT_EQ(other, 1u);
  EXPECT_LT(seven->code_bytes(), five->code_bytes());
}

TEST(SharedSteps, ResultsAndGradients) {
  std::mt19937 rng(3);
  std::shared_ptr<RegionFunction> last;
  for (Dim rows : {5, 2, 9, 30}) {  // each is freed when the next one has been made
    last = region_for(rows, last);
    const auto graph = make(rows);
    const std::vector<Tensor> inputs = random_inputs(rng, *graph);
    EXPECT_TRUE(same(results_of(*last, inputs), interpret(*graph, inputs).value(), 1e-5));
    for (const Tensor& t : inputs) set_requires_grad(t, true);
    const std::vector<Tensor> mine = results_of(*last, inputs);
    const std::vector<Tensor> eager = interpret(*graph, inputs).take();
    EXPECT_TRUE(same(gradients(mine, {}, inputs, false).value(),
                     gradients(eager, {}, inputs, false).value(), 1e-5));
  }
}

TEST(SharedSteps, ARegionMakesItsGraphAgain) {
  const auto five = region_for(5, nullptr), seven = region_for(7, five);
  EXPECT_EQ(print(*seven->graph().value()), print(*make(7)));
  EXPECT_EQ(seven->optimised_graph_text().value(),
            region_for(7, nullptr)->optimised_graph_text().value());
}

}  // namespace
}  // namespace msjit::testing
