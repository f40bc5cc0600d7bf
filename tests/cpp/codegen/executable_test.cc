// Executables: buffers, ownership of outputs, threads, layouts, background compiles, leaks.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "codegen/fusion.h"
#include "codegen/graph_maker.h"
#include "codegen/kernel_cache.h"
#include "codegen/plan.h"

namespace msjit::testing {
namespace {

// y = tanh(x + 1) * x over any shape, and a matmul-free second part so that several steps exist.
std::shared_ptr<Graph> two_step_graph(const Shape& shape) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, shape);
  Val y = g.call("mul", {g.call("tanh", {g.call("add", {x, g.number(1)})}), x});
  Val s = g.call("sum", {y}, {{"axis", AttrValue(IntList{0})}, {"keepdims", AttrValue(true)}});
  g.output(g.call("sub", {y, s}));
  return g.graph();
}

TEST(Fusion, ElementwiseChainIsOneStep) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {8, 8}), b = g.input(DType::kFloat32, {8});
  Val y = g.call("tanh", {g.call("add", {x, b})});
  g.output(g.call("mul", {y, g.number(2)}));
  EXPECT_EQ(fuse(*g.graph()).size(), 1u);
}

TEST(Fusion, ReductionTakesItsProducersAndTail) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {8, 8});
  Val s = g.call("sum", {g.call("mul", {x, x})}, {{"axis", AttrValue(IntList{1})}});
  g.output(g.call("mul", {s, g.number(0.125)}));
  auto groups = fuse(*g.graph());
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].reduced, 2u);
  EXPECT_EQ(groups[0].roles.back(), FusionRole::kTail);
}

TEST(Fusion, ReductionsOfOneInputShareALoop) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {8, 40});
  AttrValue axis = IntList{1};
  g.output(g.call("sum", {x}, {{"axis", axis}}));
  g.output(g.call("sum", {g.call("mul", {x, x})}, {{"axis", axis}}));
  g.output(g.call("max", {x}, {{"axis", axis}}));
  EXPECT_EQ(fuse(*g.graph()).size(), 1u);
  check(g, 1e-5);
}

TEST(Fusion, NeverMakesACycle) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {8, 8});
  Val a = g.call("add", {x, g.number(1)});
  Val m = g.call("matmul", {a, a});
  g.output(g.call("add", {g.call("mul", {a, g.number(3)}), m}));
  g.output(g.call("mul", {m, a}));
  auto groups = fuse(*g.graph());
  EXPECT_GE(groups.size(), 3u);
  check(g, 1e-5);
}

TEST(Plan, IntermediatesShareMemory) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {64, 64});
  for (int i = 0; i < 6; ++i) x = g.call("matmul", {x, x});
  g.output(x);
  auto graph = g.graph();
  auto plan = make_plan(graph, *graph);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value()->arena_bytes, 2 * 64 * 64 * 4);
}

TEST(Executable, OutputsOwnTheirStorageAsEagerDoes) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {2, 3});
  Val y = g.call("add", {x, x});
  g.output(y);
  g.output(x);
  g.output(y);
  g.output(g.constant(Tensor::scalar_of(DType::kFloat32, 7)));
  g.output(g.call("reshape", {x}, {{"shape", AttrValue(IntList{3, 2})}}));
  g.output(g.call("reshape", {y}, {{"shape", AttrValue(IntList{6})}}));
  std::mt19937 rng(1);
  auto in = random_inputs(rng, *g.graph());
  auto executable = Executable::compile(*g.graph()).take();
  auto out = run(*executable, in, 6).take();
  EXPECT_EQ(out[1].data(), in[0].data());
  EXPECT_EQ(out[4].data(), in[0].data());
  EXPECT_NE(out[0].data(), out[2].data());
  EXPECT_EQ(out[0].data(), out[5].data());
  EXPECT_NE(out[3].data(), g.graph()->producer(g.graph()->outputs[3]).constant.data());
  EXPECT_TRUE(same(out, interpret(*g.graph(), in).take()));
}

TEST(Executable, RunsFromManyThreadsWhileCompiling) {
  auto graph = two_step_graph({33, 70});
  std::mt19937 rng(5);
  auto in = random_inputs(rng, *graph);
  auto want = interpret(*graph, in).take();
  auto executable = Executable::compile(*graph).take();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        auto got = run(*executable, in, 1);
        if (!got.ok() || !same(got.value(), want, 1e-5)) ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  executable->wait_compiled();
  EXPECT_EQ(executable->tier(), 1) << executable->describe();
}

TEST(Executable, LeaksNothing) {
  auto graph = two_step_graph({20, 30});
  std::mt19937 rng(5);
  auto in = random_inputs(rng, *graph);
  auto before = allocator_stats();
  for (int i = 0; i < 5; ++i) {
    auto executable = Executable::compile(*graph).take();
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(run(*executable, in, 1).ok());
    executable->wait_compiled();
    ASSERT_TRUE(run(*executable, in, 1).ok());
  }
  auto after = allocator_stats();
  EXPECT_EQ(after.live_blocks, before.live_blocks);
  EXPECT_EQ(after.live_bytes, before.live_bytes);
}

TEST(Executable, EqualKernelsAreCompiledOnce) {
  auto graph = two_step_graph({21, 31});
  Executable::compile(*graph).take()->wait_compiled();
  auto before = kernel_cache_stats();
  Executable::compile(*graph).take()->wait_compiled();
  auto after = kernel_cache_stats();
  EXPECT_EQ(after.compiles, before.compiles);
  EXPECT_GT(after.hits, before.hits);
}

TEST(Executable, MayBeDroppedWhileCompiling) {
  for (int i = 0; i < 10; ++i) Executable::compile(*two_step_graph({40 + i, 3})).take();
}

TEST(Executable, ForkedChildCompilesAndExits) {
  for (int i = 0; i < 5; ++i) {
    auto running = Executable::compile(*two_step_graph({50 + i, 7})).take();
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto graph = two_step_graph({60 + i, 9});
      std::mt19937 rng(2);
      auto in = random_inputs(rng, *graph);
      auto executable = Executable::compile(*graph).take();
      executable->wait_compiled();
      bool ok = executable->tier() == 1 && run(*executable, in, 1).ok();
      _exit(ok ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    running->wait_compiled();
    EXPECT_EQ(running->tier(), 1);
  }
}

TEST(Executable, BigLoopsRunOnSeveralThreads) {
  for (const Shape& shape : {Shape{300000}, Shape{1000, 333}, Shape{70001, 3}, Shape{3, 100001}}) {
    GraphMaker g;
    Val x = g.input(DType::kFloat32, shape), y = g.input(DType::kFloat32, Shape{shape.back()});
    Val z = g.call("mul", {g.call("add", {x, y}), x});
    g.output(z);
    g.output(g.call("sum", {z}, {{"axis", AttrValue(IntList{0})}}));
    if (shape.rank() == 2) g.output(g.call("max", {z}, {{"axis", AttrValue(IntList{1})}}));
    check(g, 1e-4);
  }
}

// All groups read x. The last one depends on the first through a product, so they must not be one.
TEST(Fusion, SiblingsThatNeedEachOtherStayApart) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {8, 8});
  Val a = g.call("add", {x, g.number(1)}), b = g.call("mul", {x, g.number(2)});
  Val first = g.call("sub", {a, b});
  Val c = g.call("matmul", {first, first});
  Val again = g.call("add", {a, b});
  Val d = g.call("maximum", {x, g.number(0)}), e = g.call("minimum", {x, g.number(0)});
  Val last = g.call("mul", {g.call("add", {c, x}), g.call("sub", {c, x})});
  for (const Val& v : {c, again, g.call("mul", {d, e}), last}) g.output(v);
  EXPECT_GE(fuse(*g.graph()).size(), 3u);
  check(g, 1e-5);
}

// Results of 32 MiB together are stored past the caches, unless a later step reads them. A read
// inside the loop that makes them does not count.
TEST(Executable, LargeResultsAreWrittenPastTheCaches) {
  for (const bool read_again : {false, true}) {
    GraphMaker g;
    Val x = g.input(DType::kFloat32, {4200001});
    Val y = g.call("add", {x, g.number(1)}), z = g.call("mul", {y, x});
    g.output(y);
    g.output(z);
    if (read_again) g.output(g.call("cumsum", {z}, {{"axis", AttrValue(0)}}));
    check(g, 0);
    auto executable = Executable::compile(*g.graph());
    ASSERT_TRUE(executable.ok());
    executable.value()->wait_compiled();
    const std::string text = executable.value()->describe();
    EXPECT_EQ(text.find("stream ") == std::string::npos, read_again) << text;
  }
}

TEST(Executable, DescribesItself) {
  auto graph = two_step_graph({4, 4});
  auto executable = Executable::compile(*graph).take();
  executable->wait_compiled();
  std::string text = executable->describe();
  EXPECT_NE(text.find("fused add tanh mul"), std::string::npos) << text;
  EXPECT_GT(executable->compile_ms(), 0);
  EXPECT_GT(executable->code_bytes(), 0);
  EXPECT_EQ(executable->num_ops(), 5);
}

}  // namespace
}  // namespace msjit::testing
