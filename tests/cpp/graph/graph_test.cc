#include "graph/graph_testing.h"
#include "graph/pipeline.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

using namespace testing_util;
using namespace words;

const char kText[] =
    "graph f(%0: float32[4, 3], %1: float32[5, 3], %2: float32[5]) {\n"
    "  %3: float32[4, 5] = matmul(%0, %1, transpose_b=true)  # net.py:12\n"
    "  %4: float32[4, 5] = add(%3, %2)\n"
    "  %5: weak float64[] = constant(0.1)\n"
    "  %6: float32[4, 5] = mul(%4, %5)\n"
    "  %7: float32[4] = sum(%6, axis=[1])\n"
    "  return %7, %6\n"
    "}\n";

TEST(Graph, PrintedTextParsesBack) {
  auto graph = parse_graph(kText);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_TRUE(verify(*graph.value()).ok());
  EXPECT_EQ(print(*graph.value()), kText);
}

TEST(Graph, DamagedTextIsAnsweredWithAnError) {
  std::string text = kText;
  for (size_t cut = 0; cut < text.size() - 2; ++cut)
    EXPECT_FALSE(parse_graph(text.substr(0, cut)).ok()) << cut;
  std::mt19937 rng(7);
  const char alphabet[] = "%:[]()=, \n#0123456789-abcxyz\"<>";
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = text;
    for (int i = 0; i < 1 + static_cast<int>(rng() % 3); ++i)
      damaged[rng() % damaged.size()] = alphabet[rng() % (sizeof(alphabet) - 1)];
    auto graph = parse_graph(damaged);
    if (graph.ok()) {
      EXPECT_TRUE(verify(*graph.value()).ok()) << damaged;
      EXPECT_TRUE(parse_graph(print(*graph.value())).ok()) << damaged;
    }
  }
}

TEST(Graph, ErrorsNameTheLine) {
  auto error = [](const char* text) {
    auto graph = parse_graph(text);
    return graph.ok() ? std::string("ok") : graph.error().message;
  };
  EXPECT_EQ(error("graph f(%0: float32[2]) {\n  %1: float32[2] = nope(%0)\n  return %1\n}\n"),
            "[parse] line 2: unknown op 'nope'");
  EXPECT_EQ(error("graph f(%0: float32[2]) {\n  %1: float32[3] = neg(%0)\n  return %1\n}\n"),
            "[parse] line 2: output 0 of neg is float32[2], got float32[3]");
  EXPECT_EQ(error("graph f(%0: float32[2]) {\n  %1: float32[2] = neg(%7)\n  return %1\n}\n"),
            "[parse] line 2: %7 is not defined");
}

TEST(Graph, VerifierFindsDamage) {
  auto fresh = [] { return parse_graph(kText).take(); };
  auto broken = fresh();
  broken->values[broken->outputs[0]].meta.shape = Shape{7};
  EXPECT_FALSE(verify(*broken).ok());
  broken = fresh();
  std::swap(broken->nodes[3], broken->nodes[4]);
  EXPECT_FALSE(verify(*broken).ok());
  broken = fresh();
  broken->nodes[3].inputs[0] = 99;
  EXPECT_FALSE(verify(*broken).ok());
  broken = fresh();
  broken->outputs.push_back(1000);
  EXPECT_FALSE(verify(*broken).ok());
}

TEST(GraphSink, EqualNodesAreOneNode) {
  auto graph = std::make_shared<Graph>();
  GraphSink sink(graph);
  Val x = sink.input({DType::kFloat32, false, Shape{3}}),
      y = sink.input({DType::kFloat32, false, Shape{3}});
  EXPECT_EQ((x + y).id(), (x + y).id());
  EXPECT_EQ((x + y).id(), (y + x).id());
  EXPECT_NE((x - y).id(), (y - x).id());
  EXPECT_EQ((x * 2.0).id(), (x * 2.0).id());
  EXPECT_NE((x * 0.0).id(), (x * -0.0).id());
}

TEST(GraphSink, ErrorsAreThoseOfEager) {
  Tensor a = make(Shape{3}, {1}), b = make(Shape{4}, {1});
  auto program = [](OpSink*, const Vals& in) { return in[0] + in[1]; };
  EagerSink& eager = eager_sink();
  program(&eager, {Val(&eager, a), Val(&eager, b)});
  auto graph = std::make_shared<Graph>();
  GraphSink sink(graph);
  program(&sink, {sink.input(a.meta()), sink.input(b.meta())});
  Status eager_status = eager.take_error(), graph_status = sink.take_error();
  ASSERT_FALSE(eager_status.ok());
  ASSERT_FALSE(graph_status.ok());
  EXPECT_EQ(eager_status.error().message, graph_status.error().message);
}

TEST(GraphSink, InPlaceOpsAreRefused) {
  const OpDef* assign = find_op("assign");
  ASSERT_TRUE(assign);
  auto graph = std::make_shared<Graph>();
  GraphSink sink(graph);
  Val x = sink.input({DType::kFloat32, false, Shape{3}});
  Val in[] = {x, x};
  EXPECT_FALSE(sink.apply(*assign, in, {}).ok());
}

TEST(Graph, InterpretChecksItsInputs) {
  auto graph = parse_graph(kText).take();
  EXPECT_FALSE(interpret(*graph, {}).ok());
}

// -- Random graphs: the pipeline must not change what a graph computes
// --------------------------------------------

class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : rng_(seed) {}

  std::shared_ptr<Graph> build(std::vector<Tensor>* inputs) {
    auto graph = std::make_shared<Graph>();
    graph->name = "random";
    GraphSink sink(graph);
    for (const Shape& shape : {Shape{2, 3}, Shape{3}, Shape{2, 1}, Shape{}}) {
      inputs->push_back(random_tensor(rng_, shape, DType::kFloat32, -2, 2));
      values_.push_back(sink.input(inputs->back().meta()));
    }
    inputs->push_back(make(Shape{2, 3}, {1, 0, 2, -3, 5, 7}, DType::kInt32));
    values_.push_back(sink.input(inputs->back().meta()));
    int steps = 10 + static_cast<int>(rng_() % 20);
    for (int i = 0; i < steps; ++i) {
      Val next = step(&sink);
      if (sink.take_error().ok() && next && next.shape().numel() <= 64) values_.push_back(next);
    }
    for (int i = 0; i < 4; ++i) graph->outputs.push_back(pick().id());
    return graph;
  }

 private:
  Val pick() { return values_[rng_() % values_.size()]; }
  double number() {
    static constexpr double kNumbers[] = {0, -0.0, 1, -1, 2, 0.5, 3, -4, 0.25};
    return kNumbers[rng_() % std::size(kNumbers)];
  }
  Val step(GraphSink* sink) {
    Val a = pick(), b = pick();
    switch (rng_() % 26) {
      case 0: return a + b;
      case 1: return a - b;
      case 2: return a * b;
      case 3: return a / b;
      case 4: return a + number();
      case 5: return a * number();
      case 6: return a / number();
      case 7: return a - number();
      case 8: return neg(a);
      case 9: return neg(neg(a));
      case 10: return maximum(a, b);
      case 11: return words::abs(a);
      case 12: return square(a);
      case 13: return where(greater(a, b), a, b);
      case 14: return sum(a, {}, rng_() % 2 == 0);
      case 15: return a.rank() ? sum(a, IntList{a.rank() - 1}, rng_() % 2 == 0) : Val();
      case 16: return reshape(a, Shape{a.shape().numel()});
      case 17: return a.rank() == 2 ? transpose(a, {1, 0}) : reshape(a, a.shape());
      case 18: return broadcast_to(a, a.rank() == 2 ? Shape{2, 3} : Shape{2, 3});
      case 19: return cast(a, rng_() % 2 ? DType::kFloat32 : DType::kInt32);
      case 20: return expand_dims(a, 0);
      case 21: return a.rank() == 2 && b.rank() == 2 ? matmul(a, swap_last_two(b)) : Val();
      case 22: return number_of(sink) * a;
      case 23: return pow(words::abs(a), 2.0);
      case 24: return tanh(a);
      default: return stop_gradient(a);
    }
  }
  Val number_of(GraphSink* sink) { return words::number(sink, number(), DType::kFloat32); }

  std::mt19937 rng_;
  Vals values_;
};

TEST(GraphFuzz, PipelineKeepsTheMeaning) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    std::vector<Tensor> inputs;
    auto graph = RandomProgram(seed).build(&inputs);
    ASSERT_TRUE(verify(*graph).ok()) << verify(*graph).error().message;
    auto want = interpret(*graph, inputs);
    ASSERT_TRUE(want.ok()) << want.error().message << print(*graph);
    Graph optimised = *graph;
    for (const PassInfo& pass : pipeline()) {
      Status status = run_pass(pass, optimised);
      ASSERT_TRUE(status.ok()) << status.error().message;
      Status sound = verify(optimised);
      ASSERT_TRUE(sound.ok()) << pass.name << ": " << sound.error().message;
    }
    auto got = interpret(optimised, inputs);
    ASSERT_TRUE(got.ok()) << got.error().message;
    for (size_t i = 0; i < want.value().size(); ++i)
      expect_close(got.value()[i], want.value()[i], 1e-5);
    auto reparsed = parse_graph(print(optimised));
    ASSERT_TRUE(reparsed.ok()) << reparsed.error().message << print(optimised);
    EXPECT_EQ(print(*reparsed.value()), print(optimised));
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "seed " << seed << "\n" << print(*graph) << print(optimised);
      break;
    }
  }
}

}  // namespace
}  // namespace msjit
