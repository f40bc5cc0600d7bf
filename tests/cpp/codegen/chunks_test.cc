// Reductions to few values, which are cut into chunks for threads.
#include "codegen/graph_maker.h"
#include "kernels/cpu/parallel.h"

namespace msjit::testing {
namespace {

constexpr double kTolerance = 1e-4;  // sums of both signs

Val folded(GraphMaker& g, const char* op, const Val& x, const IntList& axes, bool keep = false) {
  return g.call(op, {x}, {{"axis", AttrValue(axes)}, {"keepdims", AttrValue(keep)}});
}

std::string described(const GraphMaker& g, bool open = false) {
  auto executable = Executable::compile(*g.graph(), open).take();
  executable->wait_compiled();
  return executable->describe();
}
bool in_chunks(const GraphMaker& g) { return described(g).find(" chunks") != std::string::npos; }

std::vector<Tensor> run_open(const GraphMaker& g, std::span<const Tensor> inputs) {
  auto executable = Executable::compile(*g.graph(), true).take();
  executable->wait_compiled();
  EXPECT_EQ(executable->tier(), 1);
  return run(*executable, inputs, g.graph()->outputs.size()).take();
}

TEST(Chunks, EveryKindOverEveryAxisSet) {
  for (const Shape& shape : {Shape{300007}, Shape{70, 5000}, Shape{5000, 70}, Shape{3, 130000},
                             Shape{130001, 3}, Shape{20, 90, 301}, Shape{100, 2, 2000}})
    for (uint32_t mask = 1; mask < (1u << shape.rank()); ++mask) {
      IntList axes;
      for (int i = 0; i < shape.rank(); ++i)
        if ((mask >> i) & 1) axes.push_back(i);
      GraphMaker g;
      Val x = g.input(DType::kFloat32, shape);
      for (const char* op : {"sum", "max", "min"}) g.output(folded(g, op, x, axes, mask % 2 == 0));
      check(g, kTolerance);
      std::mt19937 rng(1);
      const std::vector<Tensor> inputs = random_inputs(rng, *g.graph());
      EXPECT_TRUE(same(run_open(g, inputs), interpret(*g.graph(), inputs).value(), kTolerance));
    }
}

TEST(Chunks, EveryDType) {
  for (const DType dtype : {DType::kBool, DType::kUInt8, DType::kInt32, DType::kInt64,
                            DType::kFloat16, DType::kBFloat16, DType::kFloat64})
    for (const char* op : {"sum", "max", "min", "prod", "all", "any"}) {
      GraphMaker g;
      Val x = g.input(dtype, {2, 150001});
      g.output(folded(g, op, x, {0, 1}));
      EXPECT_TRUE(in_chunks(g)) << op;
      check(g, dtype == DType::kBFloat16 ? 1e-2 : dtype == DType::kFloat16 ? 1e-3 : kTolerance);
    }
}

TEST(Chunks, SpecialValues) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {400, 401});
  for (const char* op : {"sum", "max", "min", "any", "all"}) g.output(folded(g, op, x, {0, 1}));
  EXPECT_TRUE(in_chunks(g));
  for (uint32_t seed = 0; seed < 4; ++seed) check(g, kTolerance, true, seed);
}

// Large sums keep the precision that those of eager mode have.
TEST(Chunks, SumsAreCarriedOnInDouble) {
  GraphMaker g;
  g.output(folded(g, "sum", g.input(DType::kFloat32, {1 << 22}), {0}));
  Tensor x = Tensor::empty(DType::kFloat32, {1 << 22}).take();
  double want = 0;
  for (int64_t i = 0; i < x.numel(); ++i)
    want += static_cast<double>(x.data_as<float>()[i] = 1 + static_cast<float>(i % 7) / 7);
  auto executable = Executable::compile(*g.graph()).take();
  executable->wait_compiled();
  const Tensor got = run(*executable, {&x, 1}, 1).take()[0];
  EXPECT_NEAR(element(got, 0), want, want * 1.2e-7);
}

// A loss: elementwise maths before a mean and more maths after it; a value in between is an output
// too.
TEST(Chunks, MathsAround) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {600, 700}), y = g.input(DType::kFloat32, {700});
  Val t = g.input(DType::kFloat32, {});
  Val apart = g.call("sub", {g.call("tanh", {x}), y});
  Val total = folded(g, "sum", g.call("mul", {apart, apart}), {0, 1});
  g.output(apart);
  g.output(folded(g, "max", apart, {0, 1}));
  g.output(g.call("sqrt", {g.call("add", {g.call("mul", {total, t}), g.number(3)})}));
  EXPECT_TRUE(in_chunks(g)) << described(g);
  std::mt19937 rng(3);
  std::vector<Tensor> inputs = random_inputs(rng, *g.graph());
  *inputs[2].data_as<float>() = 0.25f;
  check_graph(*g.graph(), inputs, kTolerance);
  EXPECT_TRUE(same(run_open(g, inputs), interpret(*g.graph(), inputs).value(), kTolerance));
  // An input in another layout than the plan assumed.
  inputs[0] =
      Tensor::view(random_tensor(rng, DType::kFloat32, {700, 600}), {600, 700}, {1, 600}, 0);
  check_graph(*g.graph(), inputs, kTolerance);
}

TEST(Chunks, BitsDoNotDependOnTheNumberOfThreads) {
  for (const Shape& shape : {Shape{1000003}, Shape{300001, 3}, Shape{5, 70000}})
    for (const IntList& axes : {IntList{0}, IntList{shape.rank() - 1}}) {
      GraphMaker g;
      Val x = g.input(DType::kFloat32, shape);
      g.output(folded(g, "sum", x, axes));
      g.output(folded(g, "prod", g.call("add", {g.call("mul", {x, g.number(1e-6)}), g.number(1)}),
                      axes));
      std::mt19937 rng(1);
      const std::vector<Tensor> inputs = random_inputs(rng, *g.graph());
      auto executable = Executable::compile(*g.graph()).take();
      executable->wait_compiled();
      std::vector<std::vector<Tensor>> compiled, eager;
      for (int threads : {1, 2, 3, 8}) {
        set_num_threads(threads);
        compiled.push_back(run(*executable, inputs, 2).take());
        eager.push_back(interpret(*g.graph(), inputs).take());
      }
      set_num_threads(0);
      for (size_t i = 1; i < compiled.size(); ++i) {
        EXPECT_TRUE(same(compiled[i], compiled[0]));
        EXPECT_TRUE(same(eager[i], eager[0]));
      }
    }
}

TEST(Chunks, WhereThreadsHaveWorkAnyway) {
  for (const Shape& shape : {Shape{100, 100}, Shape{64, 100000}}) {  // too few, and rows enough
    GraphMaker g;
    g.output(folded(g, "sum", g.input(DType::kFloat32, shape),
                    shape[0] == shape[1] ? IntList{0, 1} : IntList{1}));
    EXPECT_FALSE(in_chunks(g)) << described(g);
  }
}

}  // namespace
}  // namespace msjit::testing
