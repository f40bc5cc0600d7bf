// A training step as graphs: forward with residuals and backward, fused, against the reference
// evaluator.
#include "codegen/graph_maker.h"
#include "graph/autodiff.h"

namespace msjit::testing {
namespace {

void check_grad_graphs(GraphMaker& g, double tolerance) {
  const Graph& graph = *g.graph();
  auto wanted = std::make_unique<bool[]>(graph.inputs.size());
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    wanted[i] = is_float(graph.meta(graph.inputs[i]).dtype);
  auto grads = differentiate(graph, {wanted.get(), graph.inputs.size()});
  ASSERT_TRUE(grads.ok()) << grads.error().message;
  std::mt19937 rng(7);
  std::vector<Tensor> inputs = random_inputs(rng, graph);
  check_graph(*grads.value().forward, inputs, tolerance);
  auto forward = interpret(*grads.value().forward, inputs);
  ASSERT_TRUE(forward.ok());
  std::vector<Tensor> residuals;
  for (const Residual& r : grads.value().residuals) {
    int skip = r.from == Residual::From::kExtra ? grads.value().num_outputs : 0;
    residuals.push_back(r.from == Residual::From::kInput ? inputs[r.index]
                                                         : forward.value()[skip + r.index]);
  }
  const Graph& backward = *grads.value().backward.graph;
  while (residuals.size() < backward.inputs.size()) {
    const Meta& meta = backward.meta(backward.inputs[residuals.size()]);
    residuals.push_back(random_tensor(rng, meta.dtype, meta.shape));
  }
  check_graph(backward, residuals, tolerance);
}

TEST(Training, MultiLayerPerceptron) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {32, 64});
  for (int units : {40, 24, 10}) {
    Val w = g.input(DType::kFloat32, {units, x.shape().back()}),
        b = g.input(DType::kFloat32, {units});
    x = g.call("linear", {g.call("mul", {x, g.number(0.1)}), w, b});
    if (units != 10) x = g.call("relu", {x});
  }
  g.output(g.call("mean", {g.call("square", {x})}));
  check_grad_graphs(g, 1e-4);
}

TEST(Training, LayerNormAndGelu) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {16, 48}), scale = g.input(DType::kFloat32, {48}),
      bias = g.input(DType::kFloat32, {48});
  AttrValue last = IntList{1};
  Val mean = g.call("mean", {x}, {{"axis", last}, {"keepdims", AttrValue(true)}});
  Val d = g.call("sub", {x, mean});
  Val var =
      g.call("mean", {g.call("square", {d})}, {{"axis", last}, {"keepdims", AttrValue(true)}});
  Val y = g.call("mul", {d, g.call("rsqrt", {g.call("add", {var, g.number(1e-5)})})});
  y = g.call("add", {g.call("mul", {y, scale}), bias});
  y = g.call("gelu", {y});
  g.output(g.call("sum", {g.call("mul", {y, y})}));
  check_grad_graphs(g, 2e-4);
}

TEST(Training, AdamUpdate) {
  GraphMaker g;
  Val p = g.input(DType::kFloat32, {30, 20}), grad = g.input(DType::kFloat32, {30, 20});
  Val m = g.input(DType::kFloat32, {30, 20}), v = g.input(DType::kFloat32, {30, 20}),
      lr = g.input(DType::kFloat32, {});
  Val m2 = g.call("add", {g.call("mul", {m, g.number(0.9)}), g.call("mul", {grad, g.number(0.1)})});
  Val v2 = g.call("add", {g.call("mul", {v, g.number(0.999)}),
                          g.call("mul", {g.call("square", {grad}), g.number(0.001)})});
  Val step =
      g.call("div", {m2, g.call("add", {g.call("sqrt", {g.call("abs", {v2})}), g.number(1e-8)})});
  g.output(g.call("sub", {p, g.call("mul", {step, g.call("mul", {lr, g.number(0.5)})})}));
  g.output(m2);
  g.output(v2);
  check(g);
}

}  // namespace
}  // namespace msjit::testing
