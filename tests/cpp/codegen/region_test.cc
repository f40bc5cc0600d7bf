#include "codegen/region.h"

#include "codegen/compile_queue.h"
#include "graph/graph_testing.h"
#include "kernels/core/random.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

using namespace testing_util;
using namespace words;
using Doubles = std::vector<double>;

// Ends the compiler before the process ends, as an embedding program does.
class StopCompiler : public ::testing::Environment {
 public:
  void TearDown() override { compile_queue_stop(); }
};
const auto* const g_environment = ::testing::AddGlobalTestEnvironment(new StopCompiler);

std::shared_ptr<RegionFunction> region_of(const Program& program, std::span<const Tensor> inputs) {
  auto region = RegionFunction::create(build_graph(program, inputs));
  EXPECT_TRUE(region.ok()) << (region.ok() ? "" : region.error().message);
  return region.take();
}

Tensor call_region(RegionFunction& region, std::span<const Tensor> inputs) {
  std::vector<TensorImpl*> impls;
  for (const Tensor& t : inputs) impls.push_back(t.impl());
  Tensor output;
  Status status = region.call(impls, {&output, 1});
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return output;
}

Tensor leaf(std::vector<double> values) {
  Tensor t = make(Shape{static_cast<Dim>(values.size())}, values);
  set_requires_grad(t, true);
  return t;
}

Val cube_plus(OpSink*, const Vals& in) { return in[0] * in[0] * in[0] + in[0] * in[1]; }

TEST(Region, UntrackedCallRecordsNothing) {
  Tensor inputs[] = {make(Shape{2}, {2, 3}), make(Shape{2}, {1, 1})};
  auto region = region_of(cube_plus, inputs);
  Tensor out = call_region(*region, inputs);
  EXPECT_EQ(values_of(out), (Doubles{10, 30}));
  EXPECT_FALSE(is_tracked(out));
}

TEST(Region, GradientsAreThoseOfEager) {
  Tensor inputs[] = {leaf({2, 3}), leaf({5, 7})};
  auto region = region_of(cube_plus, inputs);
  Tensor out = call_region(*region, inputs);
  EXPECT_TRUE(is_tracked(out));
  auto grads = gradients({&out, 1}, {}, inputs, false);
  ASSERT_TRUE(grads.ok()) << grads.error().message;
  EXPECT_EQ(values_of(grads.value()[0]), (Doubles{12 + 5, 27 + 7}));
  EXPECT_EQ(values_of(grads.value()[1]), (Doubles{2, 3}));
}

TEST(Region, OneInputTracked) {
  Tensor inputs[] = {make(Shape{2}, {2, 3}), leaf({5, 7})};
  auto region = region_of(cube_plus, inputs);
  Tensor out = call_region(*region, inputs);
  auto grads = gradients({&out, 1}, {}, {&inputs[1], 1}, false);
  ASSERT_TRUE(grads.ok());
  EXPECT_EQ(values_of(grads.value()[0]), (Doubles{2, 3}));
}

TEST(Region, ThirdOrderThroughRegions) {
  Tensor x = leaf({2}), c = make(Shape{1}, {0});
  Tensor inputs[] = {x, c};
  auto region = region_of(cube_plus, inputs);
  Tensor y = call_region(*region, inputs);
  for (double want : Doubles{12, 12, 6}) {
    auto grads = gradients({&y, 1}, {}, {&x, 1}, true);
    ASSERT_TRUE(grads.ok()) << grads.error().message;
    y = grads.value()[0];
    EXPECT_EQ(values_of(y), Doubles{want});
  }
}

TEST(Region, ChainedRegionsAndEagerOps) {
  Tensor x = leaf({2}), c = make(Shape{1}, {1});
  Tensor inputs[] = {x, c};
  auto region = region_of(cube_plus, inputs);
  Tensor first = call_region(*region, inputs);  // x^3 + x = 10
  Tensor again[] = {first, c};
  Tensor out = call_region(*region, again);  // d/dx = (3 * 100 + 1) * 13
  auto grads = gradients({&out, 1}, {}, {&x, 1}, false);
  ASSERT_TRUE(grads.ok());
  EXPECT_EQ(values_of(grads.value()[0]), Doubles{301 * 13});
}

TEST(Region, ExtraResidualsAreBuiltAgainForSecondOrder) {
  Program program = [](OpSink*, const Vals& in) { return square(matmul(in[0], in[1])) * in[2]; };
  Tensor inputs[] = {make(Shape{1, 1}, {2}), make(Shape{1, 1}, {3}), make(Shape{1, 1}, {5})};
  for (Tensor& t : inputs) set_requires_grad(t, true);
  auto region = region_of(program, inputs);
  Tensor y = call_region(*region, inputs);  // (ab)^2 c
  auto first = gradients({&y, 1}, {}, {&inputs[0], 1}, true);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(values_of(first.value()[0]), Doubles{2 * 2 * 9 * 5});  // 2 a b^2 c
  auto second = gradients({&first.value()[0], 1}, {}, inputs, false);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(values_of(second.value()[0]), Doubles{2 * 9 * 5});
  EXPECT_EQ(values_of(second.value()[1]), Doubles{4 * 2 * 3 * 5});
  EXPECT_EQ(values_of(second.value()[2]), Doubles{2 * 2 * 9});
}

TEST(Region, ParametersOutsideAScopeAreNotTracked) {
  Tensor inputs[] = {make(Shape{2}, {2, 3}), make(Shape{2}, {1, 1})};
  mark_parameter(inputs[0], true);
  auto region = region_of(cube_plus, inputs);
  EXPECT_FALSE(is_tracked(call_region(*region, inputs)));
  GradScope scope;
  EXPECT_TRUE(is_tracked(call_region(*region, inputs)));
}

TEST(Region, SecondOrderDrawsTheSameNumbers) {
  const OpDef* dropout = find_op("dropout");
  ASSERT_TRUE(dropout);
  Program program = [&](OpSink*, const Vals& in) {
    Val dropped = call(*dropout, {in[0]}, {AttrValue(0.5)});
    return exp(dropped) * sin(dropped) * dropped;
  };
  Tensor x = leaf(Doubles(64, 0.5));
  auto region = region_of(program, {&x, 1});
  set_random_state({11, 3});
  Tensor first_out = call_region(*region, {&x, 1});
  RandomState after = random_state();
  EXPECT_EQ(after.ticket, 4);
  auto plain = gradients({&first_out, 1}, {}, {&x, 1}, false);
  auto tracked = gradients({&first_out, 1}, {}, {&x, 1}, true);
  ASSERT_TRUE(plain.ok() && tracked.ok());
  expect_close(tracked.value()[0], plain.value()[0], 1e-12);
  EXPECT_EQ(random_state().ticket, after.ticket);

  set_random_state({11, 3});
  Tensor eager_out = run_eager(program, {&x, 1});
  expect_close(eager_out, first_out, 1e-12);
  auto eager = gradients({&eager_out, 1}, {}, {&x, 1}, true);
  ASSERT_TRUE(eager.ok());
  expect_close(eager.value()[0], plain.value()[0], 1e-12);
  auto second = gradients({&tracked.value()[0], 1}, {}, {&x, 1}, false);
  auto eager_second = gradients({&eager.value()[0], 1}, {}, {&x, 1}, false);
  ASSERT_TRUE(second.ok() && eager_second.ok());
  expect_close(second.value()[0], eager_second.value()[0], 1e-12);
}

TEST(Region, NothingLeaks) {
  Tensor warm[] = {leaf({2, 3}), leaf({5, 7})};
  auto region = region_of(cube_plus, warm);
  auto once = [&] {
    Tensor inputs[] = {leaf({2, 3}), leaf({5, 7})};
    Tensor out = call_region(*region, inputs);
    auto first = gradients({&out, 1}, {}, {&inputs[0], 1}, true);
    ASSERT_TRUE(first.ok());
    ASSERT_TRUE(gradients({&first.value()[0], 1}, {}, {&inputs[0], 1}, false).ok());
  };
  once();
  region->wait_compiled();
  once();
  int64_t nodes = live_tape_nodes(), blocks = allocator_stats().live_blocks;
  for (int i = 0; i < 10; ++i) once();
  EXPECT_EQ(live_tape_nodes(), nodes);
  EXPECT_EQ(allocator_stats().live_blocks, blocks);
}

}  // namespace
}  // namespace msjit
