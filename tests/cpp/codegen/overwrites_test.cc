// Runs that write results over inputs: which results are written so, what other steps read
// meanwhile, and that a run given up before the commit has changed nothing.
#include "codegen/graph_maker.h"
#include "codegen/pending_run.h"
#include "codegen/plan.h"

namespace msjit::testing {
namespace {

std::shared_ptr<Executable> compiled(const Graph& graph) {
  auto executable = Executable::compile(graph);
  EXPECT_TRUE(executable.ok());
  executable.value()->wait_compiled();
  return executable.take();
}

// Runs and commits. Each output, or the input that it was written over, has the values expected.
// Returns the outputs that were left to the commit.
std::vector<bool> check_commit(const Graph& graph, double tolerance = 1e-6) {
  std::mt19937 rng(11);
  const std::vector<Tensor> inputs = random_inputs(rng, graph);
  const auto expected = interpret(graph, inputs);
  EXPECT_TRUE(expected.ok());
  const auto executable = compiled(graph);
  std::vector<Tensor> mine = copies(inputs), outputs(graph.outputs.size());
  std::vector<bool> left;
  PendingRun pending;
  EXPECT_TRUE(executable->begin(headers(mine), outputs, &pending).ok());
  EXPECT_TRUE(graph.writes_early || !pending.has_written());
  for (size_t i = 0; i < mine.size(); ++i)
    EXPECT_TRUE(pending.has_written() || same(mine[i], inputs[i]));
  for (const Tensor& output : outputs) left.push_back(!output);
  EXPECT_TRUE(pending.still_holds());
  EXPECT_TRUE(pending.commit().ok());
  for (const Overwrite& overwrite : graph.overwrites)
    if (!outputs[overwrite.output]) outputs[overwrite.output] = mine[overwrite.input];
  for (size_t i = 0; i < outputs.size(); ++i)
    EXPECT_TRUE(same(outputs[i], expected.value()[i], tolerance));
  return left;
}

// p - m * rate and m * decay + g, with `decay` an input that the step replaces too.
std::shared_ptr<Graph> momentum_graph() {
  GraphMaker g;
  const Val p = g.input(DType::kFloat32, {6, 40}), m = g.input(DType::kFloat32, {6, 40}),
            grad = g.input(DType::kFloat32, {6, 40}), decay = g.input(DType::kFloat32, {});
  const Val moved = g.call("add", {g.call("mul", {m, decay}), grad});
  g.output(g.call("sub", {p, g.call("mul", {moved, g.number(0.1)})}));
  g.output(moved);
  g.output(g.call("mul", {decay, g.number(0.5)}));
  g.output(g.call("matmul", {p, grad}, {{"transpose_b", AttrValue(true)}}));
  g.graph()->overwrites = {{0, 0}, {1, 1}, {2, 3}};
  return g.graph();
}

TEST(Overwrites, UpdatesAreWrittenInPlace) {
  const std::vector<bool> left = check_commit(*momentum_graph(), 1e-4);
  EXPECT_EQ(left, std::vector<bool>({true, true, false, false}));
}

TEST(Overwrites, WithoutCommitNothingChanges) {
  const auto graph = momentum_graph();
  std::mt19937 rng(3);
  const std::vector<Tensor> inputs = random_inputs(rng, *graph), mine = copies(inputs);
  const auto executable = compiled(*graph);
  for (int round = 0; round < 3; ++round) {
    std::vector<Tensor> outputs(4);
    PendingRun pending;
    ASSERT_TRUE(executable->begin(headers(mine), outputs, &pending).ok());
    EXPECT_TRUE(pending.waits());
    if (round == 1) mine[1].bump_version();
    EXPECT_EQ(pending.still_holds(), round != 1);
  }
  for (size_t i = 0; i < mine.size(); ++i) EXPECT_TRUE(same(mine[i], inputs[i]));
}

TEST(Overwrites, PlainRunsGiveAllOutputs) {
  const auto graph = momentum_graph();
  check_graph(
      *graph,
      [&] {
        std::mt19937 rng(5);
        return random_inputs(rng, *graph);
      }(),
      1e-4);
}

TEST(Overwrites, NotWhatIsReadAtOtherPlaces) {
  GraphMaker g;
  const Val p = g.input(DType::kFloat32, {5, 5}), q = g.input(DType::kFloat32, {5, 5}),
            row = g.input(DType::kFloat32, {5});
  g.output(g.call("add", {g.call("transpose", {p}, {{"perm", AttrValue(IntList{1, 0})}}), p}));
  g.output(g.call("mul", {q, p}));  // reads p, which the first replaces
  g.output(g.call("add", {row, g.number(1)}));
  g.output(g.call("mul", {q, row}));
  g.graph()->overwrites = {{0, 0}, {1, 1}, {2, 2}};
  check_commit(*g.graph());
}

TEST(Overwrites, NotWhatIsUsedBehind) {
  GraphMaker g;
  const Val p = g.input(DType::kFloat32, {8}), x = g.input(DType::kFloat32, {8});
  const Val fresh = g.call("add", {p, x});
  g.output(fresh);
  g.output(g.call("sum", {fresh}));
  g.graph()->overwrites = {{0, 0}};
  check_commit(*g.graph(), 1e-5);
}

// Two layers and their updates. The update of the second layer comes before the gradient of the
// first, but after the product that reads the weight that it overwrites.
std::shared_ptr<Graph> two_layers() {
  GraphMaker g;
  const Val x = g.input(DType::kFloat32, {16, 64}), w = g.input(DType::kFloat32, {64, 64}),
            v = g.input(DType::kFloat32, {64, 64}), rate = g.input(DType::kFloat32, {});
  const Val hidden = g.call("matmul", {x, w}), y = g.call("matmul", {hidden, v});
  const Val grad_v = g.call("matmul", {hidden, y}, {{"transpose_a", AttrValue(true)}});
  const Val grad_hidden = g.call("matmul", {y, v}, {{"transpose_b", AttrValue(true)}});
  const Val grad_w = g.call("matmul", {x, grad_hidden}, {{"transpose_a", AttrValue(true)}});
  g.output(g.call("sub", {w, g.call("mul", {grad_w, rate})}));
  g.output(g.call("sub", {v, g.call("mul", {grad_v, rate})}));
  g.graph()->overwrites = {{0, 1}, {1, 2}};
  return g.graph();
}

TEST(EarlyWrites, GradientsShareMemory) {
  const auto late = two_layers(), early = two_layers();
  early->writes_early = true;
  EXPECT_EQ(check_commit(*early, 1e-3), std::vector<bool>({true, true}));
  const auto arena = [](const std::shared_ptr<Graph>& graph) {
    auto plan = make_plan(graph, *graph);
    EXPECT_TRUE(plan.ok());
    return plan.value()->arena_bytes;
  };
  EXPECT_LT(arena(early), arena(late));
}

// What has been written over is read as the input behind it.
TEST(EarlyWrites, NewValuesAreRead) {
  GraphMaker g;
  const Val p = g.input(DType::kFloat32, {8, 8}), x = g.input(DType::kFloat32, {8, 8});
  const Val moved = g.call("add", {g.call("matmul", {p, x}), p});
  g.output(moved);
  g.output(g.call("matmul", {moved, x}));
  g.graph()->overwrites = {{0, 0}};
  g.graph()->writes_early = true;
  EXPECT_EQ(check_commit(*g.graph(), 1e-4), std::vector<bool>({true, false}));
}

TEST(EarlyWrites, NotBeforeWhatMayFail) {
  GraphMaker g;
  const Val p = g.input(DType::kFloat32, {4}), rows = g.input(DType::kFloat32, {3, 2}),
            at = g.input(DType::kInt64, {});
  g.output(g.call("add", {p, g.number(1)}));
  g.output(g.call("gather", {rows, at}));
  g.graph()->overwrites = {{0, 0}};
  g.graph()->writes_early = true;
  const auto executable = compiled(*g.graph());
  for (const double index : {7, 2}) {
    std::mt19937 rng(1);
    std::vector<Tensor> mine = random_inputs(rng, *g.graph());
    mine[2] = Tensor::scalar_of(DType::kInt64, index);
    const Tensor before = copies(mine)[0];
    std::vector<Tensor> outputs(2);
    PendingRun pending;
    EXPECT_EQ(executable->begin(headers(mine), outputs, &pending).ok(), index == 2);
    EXPECT_EQ(pending.has_written(), index == 2);
    EXPECT_EQ(same(mine[0], before), index == 7);
  }
}

TEST(Overwrites, NotInOtherLayouts) {
  GraphMaker g;
  const Val p = g.input(DType::kFloat32, {3, 4});
  g.output(g.call("mul", {p, g.number(2)}));
  g.graph()->overwrites = {{0, 0}};
  const auto executable = compiled(*g.graph());
  std::mt19937 rng(2);
  const Tensor base = random_tensor(rng, DType::kFloat32, {4, 3});
  const Tensor turned = Tensor::view(base, {3, 4}, {1, 3}, 0);
  TensorImpl* input = turned.impl();
  std::vector<Tensor> outputs(1);
  PendingRun pending;
  ASSERT_TRUE(executable->begin({&input, 1}, outputs, &pending).ok());
  EXPECT_FALSE(pending.waits());
  EXPECT_TRUE(outputs[0]);
}

// Updates that read each other in every way, at some places in other shapes or layouts.
TEST(Overwrites, RandomPrograms) {
  int in_place = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    GraphMaker g;
    std::vector<Val> values;
    const size_t inputs = 2 + rng() % 4;
    for (size_t i = 0; i < inputs; ++i)
      values.push_back(g.input(DType::kFloat32, rng() % 4 ? Shape{7, 7} : Shape{7}));
    const auto any = [&] { return values[rng() % values.size()]; };
    for (size_t i = 0, count = 3 + rng() % 12; i < count; ++i) {
      const char* const names[] = {"add",  "sub",       "mul", "maximum",
                                   "tanh", "transpose", "sum", "matmul"};
      const char* const name = names[rng() % 8];
      const Val a = any(), b = any();
      if (a.shape().rank() != 2 && (name[0] == 't' || name[1] == 'a' || name[1] == 'u')) continue;
      if (!std::strcmp(name, "transpose"))
        values.push_back(g.call(name, {a}, {{"perm", AttrValue(IntList{1, 0})}}));
      else if (!std::strcmp(name, "sum"))
        values.push_back(g.call(name, {a}, {{"axis", AttrValue(IntList{0})}}));
      else if (!std::strcmp(name, "tanh"))
        values.push_back(g.call(name, {a}));
      else if (Val made = g.try_call(name, {a, b}))
        values.push_back(g.call("mul", {made, g.number(0.25)}));
    }
    // Each input is replaced at most once, by a value made for it alone.
    for (size_t i = 0; i < inputs; ++i) {
      const Val made = any();
      if (!(made.shape() == values[i].shape())) continue;
      const auto output = static_cast<int32_t>(g.graph()->outputs.size());
      g.output(g.call("add", {made, g.number(static_cast<double>(i))}));
      g.graph()->overwrites.push_back({output, static_cast<int32_t>(i)});
    }
    g.output(g.call("add", {any(), g.number(3)}));
    g.graph()->writes_early = seed % 2;
    for (bool left : check_commit(*g.graph(), 1e-4)) in_place += left;
  }
  EXPECT_GT(in_place, 100);
}

}  // namespace
}  // namespace msjit::testing
