// Scans against the same loops unrolled: values and gradients, in the reference evaluator and in
// compiled regions, over random bodies.
#include "graph/scan.h"

#include "codegen/executable.h"
#include "codegen/plan.h"
#include "graph/autodiff.h"
#include "graph/graph_testing.h"
#include "graph/passes/passes.h"
#include "graph/pipeline.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

using namespace testing_util;
using words::operator+;
using words::operator-;
using words::operator*;

Val apply_op(const char* name, std::initializer_list<Val> in,
             std::initializer_list<AttrValue> attrs = {}) {
  return call(*find_op(name), in, attrs);
}

// Values of a body under construction: two rows of four each.
class BodyMaker {
 public:
  BodyMaker(std::mt19937& rng, GraphSink& sink) : rng_(rng), sink_(sink) {}
  Val pick() { return values_[rng_() % values_.size()]; }
  void add(const Val& value) { values_.push_back(value); }
  void matrix(const Val& value) { matrices_.push_back(value); }
  Val step() {
    const Val a = pick(), b = pick();
    switch (rng_() % 13) {
      case 0: return words::tanh(a * b);
      case 1: return a + b;
      case 2: return words::sin(a) - b;
      case 3: return words::where(words::greater(a, b), a * b, words::sigmoid(b));
      case 4: return words::sigmoid(a) * b;
      case 5: return words::exp(words::neg(a * a));
      case 6: return words::broadcast_to(words::sum(a * b, IntList{0}, true), Shape{2, 4});
      case 7: return words::sqrt(a * a + 0.5) + 0.0;
      case 8: return update_row(a, words::sum(b, IntList{0}, true));
      case 9: return update_row(a, a_row(rng_() % 2 ? a : b));
      default: {
        if (matrices_.empty()) return words::cos(a);
        const Val product =
            words::matmul(a, matrices_[rng_() % matrices_.size()], false, rng_() % 2);
        return rng_() % 2 ? product + b : product;
      }
    }
  }

 private:
  // In the memory of what a loop carries, from the second turn on.
  Val update_row(const Val& x, const Val& row) {
    const auto at = static_cast<int64_t>(rng_() % 2);
    return apply_op("slice_update", {x, row}, {IntList{at, 0}, IntList{at + 1, 4}, IntList{1, 1}});
  }
  Val a_row(const Val& x) {
    const auto at = static_cast<int64_t>(rng_() % 2);
    return words::slice(x, IntList{at, 0}, IntList{at + 1, 4}, IntList{1, 1});
  }

  std::mt19937& rng_;
  GraphSink& sink_;
  Vals values_, matrices_;
};

struct Loop {
  std::shared_ptr<Graph> graph;
  std::vector<Tensor> inputs;
};

Loop random_loop(std::mt19937& rng) {
  Loop loop;
  loop.graph = std::make_shared<Graph>();
  loop.graph->name = "loop";
  GraphSink sink(loop.graph);
  const size_t carried = 1 + rng() % 3, scanned = rng() % 3, captured = rng() % 3;
  const int64_t length = 1 + static_cast<int64_t>(rng() % 6);
  ScanParts parts;
  parts.length = length;
  const auto input = [&](const Shape& shape) {
    loop.inputs.push_back(random_tensor(rng, shape, DType::kFloat64, -1, 1));
    return sink.input(loop.inputs.back().meta());
  };
  for (size_t i = 0; i < carried; ++i) parts.initial.push_back(input({2, 4}));
  for (size_t i = 0; i < scanned; ++i) parts.sequences.push_back(input({length, 2, 4}));
  BodyMaker body(rng, sink);
  for (size_t i = 0; i < captured; ++i) body.add(words::broadcast_to(input({4}), Shape{2, 4}));
  for (size_t i = 0; i < rng() % 3; ++i) body.matrix(input({4, 4}));
  const int32_t first = static_cast<int32_t>(loop.graph->nodes.size());
  for (const Val& value : parts.initial) {
    parts.inside.push_back(sink.value(loop.graph->add_placeholder(value.meta())));
    body.add(parts.inside.back());
  }
  for (const Val& value : parts.sequences) {
    parts.rows.push_back(sink.value(loop.graph->add_placeholder(row_meta(value.meta()))));
    body.add(parts.rows.back());
  }
  Vals made;
  for (size_t i = 0; i < 3 + rng() % 8; ++i) body.add(made.emplace_back(body.step()));
  for (size_t i = 0; i < carried; ++i)
    parts.next.push_back(rng() % 6 ? made[rng() % made.size()] : parts.inside[i]);
  for (size_t i = 0; i < rng() % 3; ++i) parts.stacked.push_back(body.pick());
  auto results = build_scan(sink, first, parts);
  EXPECT_TRUE(results.ok()) << (results.ok() ? "" : results.error().message);
  for (const Val& value : results.value())
    if (rng() % 3) loop.graph->outputs.push_back((value * 1.5).id());
  if (loop.graph->outputs.empty()) loop.graph->outputs.push_back(results.value()[0].id());
  EXPECT_TRUE(dead_code(*loop.graph).ok());
  const Status sound = verify(*loop.graph);
  EXPECT_TRUE(sound.ok()) << (sound.ok() ? "" : sound.error().message) << print(*loop.graph);
  return loop;
}

Vals unroll_scan(GraphSink& sink, const Node& node, const Vals& in) {
  const ScanShape shape = scan_shape(node);
  Vals args = in;
  std::vector<Vals> rows(shape.stacked, Vals(static_cast<size_t>(shape.length)));
  for (int64_t turn = 0; turn < shape.length; ++turn) {
    const int64_t row = shape.row(turn);
    for (size_t i = shape.carried; i < shape.carried + shape.scanned; ++i)
      args[i] = apply_op("select_index", {in[i]}, {AttrValue(row), AttrValue(int64_t{0})});
    Vals results = interpret_on(&sink, *node.subgraphs[0], args).take();
    for (size_t i = 0; i < shape.carried; ++i) args[i] = results[i];
    for (size_t i = 0; i < shape.stacked; ++i)
      rows[i][static_cast<size_t>(row)] = results[shape.carried + i];
  }
  args.resize(shape.carried);
  for (const Vals& values : rows)
    args.push_back(sink.apply(*find_op("stack"), values, {AttrValue(int64_t{0})}).take()[0]);
  return args;
}

std::shared_ptr<Graph> unrolled(const Graph& from) {
  auto graph = std::make_shared<Graph>();
  graph->name = "unrolled";
  GraphSink sink(graph);
  Vals map(from.values.size());
  for (ValueId id : from.inputs) map[id] = sink.input(from.meta(id));
  for (const Node& node : from.nodes) {
    if (node.kind == NodeKind::kInput) continue;
    Vals in, out;
    for (ValueId id : node.inputs) in.push_back(id < 0 ? Val() : map[id]);
    if (node.kind == NodeKind::kConstant)
      out = {sink.constant(node.constant)};
    else
      out =
          is_scan(node) ? unroll_scan(sink, node, in) : sink.apply(*node.op, in, node.attrs).take();
    for (size_t i = 0; i < out.size(); ++i)
      map[node.first_output + static_cast<ValueId>(i)] = out[i];
  }
  for (ValueId id : from.outputs) graph->outputs.push_back(map[id].id());
  return graph;
}

std::vector<Tensor> compiled(const Graph& graph, const std::vector<Tensor>& in) {
  auto executable = Executable::compile(graph);
  EXPECT_TRUE(executable.ok()) << (executable.ok() ? "" : executable.error().message);
  executable.value()->wait_compiled();
  std::vector<TensorImpl*> impls;
  for (const Tensor& t : in) impls.push_back(t.impl());
  std::vector<Tensor> out(graph.outputs.size());
  const Status status = executable.value()->run(impls, out);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return out;
}

int count_scans(const Graph& graph) {
  int count = 0;
  for (const Node& node : graph.nodes) count += is_scan(node);
  return count;
}

// The graph with its products lifted out of loops; counts the graphs that had any.
Graph with_lifted_products(const Graph& graph, int* lifted) {
  Graph result = graph;
  EXPECT_TRUE(merge_scans(result).ok());
  auto changed = lift_products(result);
  EXPECT_TRUE(changed.ok()) << (changed.ok() ? "" : changed.error().message);
  *lifted += changed.ok() && changed.value();
  const Status sound = verify(result);
  EXPECT_TRUE(sound.ok()) << (sound.ok() ? "" : sound.error().message) << print(result);
  return result;
}

using Runner = std::vector<Tensor> (*)(const Graph&, const std::vector<Tensor>&);
std::vector<Tensor> interpreted(const Graph& graph, const std::vector<Tensor>& in) {
  auto out = interpret(graph, in);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message);
  return out.take();
}

// By input of the original graph; empty where none arrives.
std::vector<Tensor> gradients_of(const GradGraphs& graphs, const std::vector<Tensor>& inputs,
                                 Runner run) {
  const std::vector<Tensor> results = run(*graphs.forward, inputs);
  std::vector<Tensor> arguments;
  for (const Residual& r : graphs.residuals) {
    if (r.from == Residual::From::kInput) arguments.push_back(inputs[static_cast<size_t>(r.index)]);
    if (r.from == Residual::From::kOutput)
      arguments.push_back(results[static_cast<size_t>(r.index)]);
    if (r.from == Residual::From::kExtra)
      arguments.push_back(results[static_cast<size_t>(graphs.num_outputs + r.index)]);
  }
  std::mt19937 rng(3);
  for (int output : graphs.grad_outputs) {
    for (int skip = 0; skip < output; ++skip) rng();
    arguments.push_back(random_tensor(rng, results[static_cast<size_t>(output)].shape()));
    rng.seed(3);
  }
  const std::vector<Tensor> found = run(*graphs.backward.graph, arguments);
  std::vector<Tensor> gradients(inputs.size());
  for (size_t i = 0; i < graphs.backward.inputs.size(); ++i)
    gradients[static_cast<size_t>(graphs.backward.inputs[i])] = found[i];
  return gradients;
}

// v = factor * v + row for each row.
std::shared_ptr<Graph> fold_rows(int64_t length, double factor) {
  auto graph = std::make_shared<Graph>();
  GraphSink sink(graph);
  ScanParts parts;
  parts.length = length;
  parts.initial = {sink.input({DType::kFloat32, false, {4}})};
  parts.sequences = {sink.input({DType::kFloat32, false, {length, 4}})};
  const auto first = static_cast<int32_t>(graph->nodes.size());
  parts.inside = {sink.value(graph->add_placeholder(parts.initial[0].meta()))};
  parts.rows = {sink.value(graph->add_placeholder(row_meta(parts.sequences[0].meta())))};
  parts.next = {parts.inside[0] * factor + parts.rows[0]};
  graph->outputs = {build_scan(sink, first, parts).take()[0].id()};
  EXPECT_TRUE(dead_code(*graph).ok());
  return graph;
}

std::shared_ptr<const Plan> body_plan(const Plan& plan) {
  for (const PlanStep& step : plan.steps)
    if (step.kind == PlanStepKind::kControl) return step.nested[0];
  return nullptr;
}

TEST(Scan, LoopsOfOtherLengthsShareThePlanOfTheirBody) {
  const auto plan = [](int64_t length, double factor, bool open = false) {
    const auto graph = fold_rows(length, factor);
    return make_plan(graph, *graph, false, open).take();
  };
  const auto one = plan(3, 0.5);
  ASSERT_TRUE(body_plan(*one));
  EXPECT_EQ(body_plan(*plan(7, 0.5)), body_plan(*one));
  EXPECT_NE(body_plan(*plan(7, -0.5)), body_plan(*one));
  EXPECT_NE(body_plan(*plan(7, 0.5, true)), body_plan(*one));
  // Both lengths run on it.
  std::mt19937 rng(3);
  for (int64_t length : {3, 7}) {
    const std::vector<Tensor> in = {random_tensor(rng, {4}, DType::kFloat32),
                                    random_tensor(rng, {length, 4}, DType::kFloat32)};
    const auto graph = fold_rows(length, 0.5);
    expect_close(compiled(*graph, in)[0], interpret(*graph, in).take()[0]);
  }
}

TEST(Scan, RandomLoopsAsUnrolled) {
  std::mt19937 rng(2024);
  int lifted = 0;
  for (int round = 0; round < 500; ++round) {
    const Loop loop = random_loop(rng);
    SCOPED_TRACE(print(*loop.graph));
    const std::vector<Tensor> want = interpreted(*unrolled(*loop.graph), loop.inputs);
    const std::vector<Tensor> plain = interpreted(*loop.graph, loop.inputs);
    for (size_t i = 0; i < want.size(); ++i) expect_close(plain[i], want[i], 1e-12);
    const std::vector<Tensor> apart =
        interpreted(with_lifted_products(*loop.graph, &lifted), loop.inputs);
    for (size_t i = 0; i < want.size(); ++i) expect_close(apart[i], want[i], 1e-12);
    if (round % 10 == 0) {
      const std::vector<Tensor> fused = compiled(*loop.graph, loop.inputs);
      for (size_t i = 0; i < want.size(); ++i) expect_close(fused[i], want[i], 1e-9);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(lifted, 20);
}

TEST(Scan, RandomGradientsAsUnrolled) {
  std::mt19937 rng(7);
  int lifted = 0;
  int refused = 0;
  for (int round = 0; round < 500; ++round) {
    const Loop loop = random_loop(rng);
    SCOPED_TRACE(print(*loop.graph));
    std::unique_ptr<bool[]> flags(new bool[loop.inputs.size()]);
    for (size_t i = 0; i < loop.inputs.size(); ++i) flags[i] = rng() % 4 != 0;
    const std::span<const bool> wanted(flags.get(), loop.inputs.size());
    auto reference = differentiate(*unrolled(*loop.graph), wanted);
    ASSERT_TRUE(reference.ok()) << reference.error().message;
    auto graphs = differentiate(*loop.graph, wanted);
    if (!graphs.ok() && graphs.error().kind == ErrorKind::kNotImplemented) {
      ++refused;
      continue;
    }
    ASSERT_TRUE(graphs.ok()) << graphs.error().message;
    const std::vector<Tensor> want = gradients_of(reference.value(), loop.inputs, interpreted);
    const Runner run = round % 10 == 0 ? compiled : interpreted;
    const std::vector<Tensor> got = gradients_of(graphs.value(), loop.inputs, run);
    GradGraphs apart = graphs.value();
    apart.forward = std::make_shared<Graph>(with_lifted_products(*apart.forward, &lifted));
    apart.backward.graph =
        std::make_shared<Graph>(with_lifted_products(*apart.backward.graph, &lifted));
    const std::vector<Tensor> again = gradients_of(apart, loop.inputs, interpreted);
    for (size_t i = 0; i < got.size(); ++i)
      if (got[i]) expect_close(again[i], got[i], 1e-9);
    Graph forward = *graphs.value().forward;
    ASSERT_TRUE(run_pipeline_nested(forward).ok());
    EXPECT_LE(count_scans(forward), 1) << print(forward);
    for (size_t i = 0; i < want.size(); ++i) {
      if (!want[i] && !got[i]) continue;
      ASSERT_TRUE(got[i]) << "no gradient for input " << i;
      const Tensor zeros = make(got[i].shape(), {0});
      expect_close(got[i], want[i] ? want[i] : zeros, 1e-9);
    }
    if (HasFailure()) {
      ADD_FAILURE() << print(*graphs.value().forward) << print(*graphs.value().backward.graph);
      return;
    }
  }
  EXPECT_LT(refused, 120);
  EXPECT_GT(lifted, 60);
}

}  // namespace
}  // namespace msjit
