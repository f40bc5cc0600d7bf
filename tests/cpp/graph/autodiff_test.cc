#include "graph/autodiff.h"

#include "graph/graph_testing.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

using namespace testing_util;
using namespace words;

struct Named {
  const char* name;
  Program program;
  std::vector<Shape> shapes;
};

std::vector<Named> programs() {
  return {
      {"product", [](OpSink*, const Vals& in) { return in[0] * in[1]; }, {{2, 3}, {3}}},
      {"quotient", [](OpSink*, const Vals& in) { return in[0] / (in[1] + 1.0); }, {{2, 3}, {2, 1}}},
      {"functions",
       [](OpSink*, const Vals& in) {
         return tanh(exp(in[0]) * sin(in[0])) + log(in[0] + 1.0) * sqrt(in[0]);
       },
       {{4}}},
      {"softmax",
       [](OpSink*, const Vals& in) {
         Val e = exp(in[0]);
         return (e / sum(e, IntList{1}, true)) * in[1];
       },
       {{2, 3}, {2, 3}}},
      {"mlp",
       [](OpSink*, const Vals& in) {
         Val hidden = tanh(matmul(in[0], in[1], false, true) + in[2]);
         return sum(square(matmul(hidden, in[3])));
       },
       {{4, 3}, {5, 3}, {5}, {5, 2}}},
      {"layout",
       [](OpSink*, const Vals& in) {
         Val t = transpose(in[0], {1, 0});
         return sum(reshape(t, Shape{6}) * in[1]) + mean(broadcast_to(in[1], Shape{2, 6}));
       },
       {{2, 3}, {6}}},
      {"choice",
       [](OpSink*, const Vals& in) {
         return where(greater(in[0], in[1]), in[0] * in[0], in[1]) * maximum(in[0], 1.0);
       },
       {{5}, {5}}},
      {"norm",
       [](OpSink*, const Vals& in) {
         Val centred = in[0] - mean(in[0], IntList{1}, true);
         return centred * rsqrt(mean(square(centred), IntList{1}, true) + 1e-3) * in[1];
       },
       {{2, 4}, {4}}},
      {"stopped",
       [](OpSink*, const Vals& in) { return stop_gradient(in[0] * in[0]) * in[0]; },
       {{3}}},
  };
}

std::vector<Tensor> inputs_of(const Named& named) {
  std::mt19937 rng(11);
  std::vector<Tensor> inputs;
  for (const Shape& shape : named.shapes) inputs.push_back(random_tensor(rng, shape));
  return inputs;
}

std::vector<Tensor> tracked_copies(std::span<const Tensor> inputs) {
  std::vector<Tensor> leaves;
  for (const Tensor& t : inputs) {
    leaves.push_back(t.detach());
    set_requires_grad(leaves.back(), true);
  }
  return leaves;
}

// Runs forward and backward graph on the interpreter, as a compiled region does.
std::vector<Tensor> graph_gradients(const GradGraphs& graphs, std::span<const Tensor> inputs,
                                    std::span<const Tensor> seeds) {
  auto forward = interpret(*graphs.forward, inputs);
  EXPECT_TRUE(forward.ok()) << forward.error().message;
  const std::vector<Tensor>& results = forward.value();
  std::vector<Tensor> arguments;
  for (const Residual& r : graphs.residuals) {
    if (r.from == Residual::From::kInput) arguments.push_back(inputs[r.index]);
    if (r.from == Residual::From::kOutput) arguments.push_back(results[r.index]);
    if (r.from == Residual::From::kExtra)
      arguments.push_back(results[graphs.num_outputs + r.index]);
  }
  for (int index : graphs.grad_outputs) arguments.push_back(seeds[index]);
  auto grads = interpret(*graphs.backward.graph, arguments);
  EXPECT_TRUE(grads.ok()) << grads.error().message;
  return grads.take();
}

GradGraphs differentiate_all(const Graph& graph) {
  std::unique_ptr<bool[]> wanted(new bool[graph.inputs.size()]);
  std::fill_n(wanted.get(), graph.inputs.size(), true);
  auto graphs = differentiate(graph, {wanted.get(), graph.inputs.size()});
  EXPECT_TRUE(graphs.ok()) << (graphs.ok() ? "" : graphs.error().message);
  for (const auto& part : {graphs.value().forward, graphs.value().backward.graph}) {
    Status sound = verify(*part);
    EXPECT_TRUE(sound.ok()) << (sound.ok() ? "" : sound.error().message);
  }
  return graphs.take();
}

TEST(Autodiff, TapeAgreesWithFiniteDifferences) {
  for (const Named& named : programs()) {
    if (std::string(named.name) == "stopped") continue;
    SCOPED_TRACE(named.name);
    std::vector<Tensor> inputs = inputs_of(named), leaves = tracked_copies(inputs);
    Tensor out = run_eager(named.program, leaves);
    auto grads = gradients({&out, 1}, {}, leaves, false);
    ASSERT_TRUE(grads.ok()) << grads.error().message;
    for (size_t i = 0; i < inputs.size(); ++i)
      expect_close(grads.value()[i], numeric_gradient(named.program, inputs, i), 1e-4);
  }
}

TEST(Autodiff, GraphAgreesWithTape) {
  for (const Named& named : programs()) {
    SCOPED_TRACE(named.name);
    std::vector<Tensor> inputs = inputs_of(named), leaves = tracked_copies(inputs);
    Tensor out = run_eager(named.program, leaves);
    std::mt19937 rng(5);
    Tensor seed = random_tensor(rng, out.shape());
    auto want = gradients({&out, 1}, {&seed, 1}, leaves, false);
    ASSERT_TRUE(want.ok());
    GradGraphs graphs = differentiate_all(*build_graph(named.program, inputs));
    std::vector<Tensor> got = graph_gradients(graphs, inputs, {&seed, 1});
    ASSERT_EQ(got.size(), inputs.size());
    for (size_t i = 0; i < got.size(); ++i) expect_close(got[i], want.value()[i], 1e-9);
  }
}

TEST(Autodiff, SecondOrderAgreesWithFiniteDifferences) {
  for (const Named& named : programs()) {
    if (std::string(named.name) == "stopped") continue;
    SCOPED_TRACE(named.name);
    // sum of squares of the first gradients, differentiated again
    Program squares = [&](OpSink* sink, const Vals& in) {
      std::vector<Tensor> leaves;
      for (const Val& v : in)
        leaves.push_back(is_tracked(v.tensor()) ? v.tensor() : tracked_copies({&v.tensor(), 1})[0]);
      GradScope scope;
      Tensor out = run_eager(named.program, leaves);
      auto grads = gradients({&out, 1}, {}, leaves, true);
      EXPECT_TRUE(grads.ok()) << (grads.ok() ? "" : grads.error().message);
      Val total;
      for (const Tensor& grad : grads.value()) {
        Val term = sum(square(Val(sink, grad)));
        total = total ? total + term : term;
      }
      return total;
    };
    std::vector<Tensor> inputs = inputs_of(named), leaves = tracked_copies(inputs);
    Tensor out = run_eager(squares, leaves);
    auto grads = gradients({&out, 1}, {}, leaves, false);
    ASSERT_TRUE(grads.ok()) << grads.error().message;
    for (size_t i = 0; i < inputs.size(); ++i)
      expect_close(grads.value()[i], numeric_gradient(squares, inputs, i), 1e-3);
  }
}

TEST(Autodiff, BackwardGraphCanBeDifferentiatedAgain) {
  Named cube{"cube", [](OpSink*, const Vals& in) { return in[0] * in[0] * in[0]; }, {{2}}};
  std::vector<Tensor> inputs = {make(Shape{2}, {2, 3})};
  GradGraphs first = differentiate_all(*build_graph(cube.program, inputs));
  GradGraphs second = differentiate_all(*first.backward.graph);
  Tensor one = make(Shape{2}, {1, 1});
  std::vector<Tensor> arguments;
  for (const Residual& r : first.residuals) {
    ASSERT_EQ(r.from, Residual::From::kInput);
    arguments.push_back(inputs[r.index]);
  }
  arguments.push_back(one);
  std::vector<Tensor> got = graph_gradients(second, arguments, {&one, 1});
  EXPECT_EQ(values_of(got[0]), (std::vector<double>{12, 18}));
}

TEST(Autodiff, KeepsLittle) {
  // The backward graph can recompute an elementwise chain from its input.
  Program chain = [](OpSink*, const Vals& in) { return square(in[0] * 2.0 + 1.0) * in[0]; };
  std::vector<Tensor> inputs = {make(Shape{100}, {1, 2})};
  GradGraphs graphs = differentiate_all(*build_graph(chain, inputs));
  EXPECT_EQ(graphs.residuals, (std::vector<Residual>{{Residual::From::kInput, 0}}));
  EXPECT_EQ(graphs.forward->outputs.size(), 1u);
  // A product and a tanh are kept, not recomputed. Here the output alone is enough.
  Program dense = [](OpSink*, const Vals& in) { return tanh(matmul(in[0], in[1])); };
  inputs = {make(Shape{8, 8}, {1, 2}), make(Shape{8, 8}, {1, 2})};
  graphs = differentiate_all(*build_graph(dense, inputs));
  EXPECT_EQ(graphs.forward->outputs.size(), 1u);
}

TEST(Autodiff, OnlyWhatIsWanted) {
  Program dense = [](OpSink*, const Vals& in) { return matmul(in[0], in[1]); };
  std::vector<Tensor> inputs = {make(Shape{4, 3}, {1}), make(Shape{3, 2}, {1})};
  bool wanted[] = {false, true};
  auto graphs = differentiate(*build_graph(dense, inputs), wanted);
  ASSERT_TRUE(graphs.ok());
  EXPECT_EQ(graphs.value().backward.inputs, std::vector<int>{1});
  EXPECT_EQ(graphs.value().backward.graph->num_ops(), 1);
  EXPECT_EQ(graphs.value().residuals, (std::vector<Residual>{{Residual::From::kInput, 0}}));
}

}  // namespace
}  // namespace msjit
