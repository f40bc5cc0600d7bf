// If and While in executables against the reference evaluator: values, identity of values that an
// arm returns unchanged, buffers, threads, gradients, and random nests of branches and loops.
#include <thread>

#include "codegen/graph_maker.h"
#include "codegen/region.h"
#include "graph/autodiff.h"
#include "graph/control.h"
#include "graph/passes/passes.h"

namespace msjit::testing {
namespace {

std::shared_ptr<Graph> parsed(std::string_view text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  return graph.take();
}

Tensor vector(std::vector<float> values) {
  Tensor t = Tensor::empty(DType::kFloat32, {static_cast<int64_t>(values.size())}).take();
  std::copy(values.begin(), values.end(), t.data_as<float>());
  return t;
}

std::vector<Tensor> run(Executable& executable, const std::vector<Tensor>& in, size_t outputs) {
  std::vector<TensorImpl*> impls;
  for (const Tensor& t : in) impls.push_back(t.impl());
  std::vector<Tensor> out(outputs);
  Status status = executable.run(impls, out);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return out;
}

void expect_near(const Tensor& a, const Tensor& b) {
  ASSERT_TRUE(a && b && a.meta().str() == b.meta().str());
  const Tensor x = a.to_contiguous().take(), y = b.to_contiguous().take();
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (x.dtype() != DType::kFloat32) continue;
    const float p = x.data_as<float>()[i], q = y.data_as<float>()[i];
    EXPECT_TRUE(p == q || std::fabs(p - q) <= 1e-5f * (1 + std::fabs(q))) << p << " " << q;
  }
}

constexpr const char* kBranch = R"(graph f(%0: float32[4], %1: float32[4]) {
  %2: float32[] = sum(%0)
  %3: weak float64[] = constant(0.0)
  %4: bool[] = greater(%2, %3)
  %5: float32[4] = add(%0, %1)
  %6: float32[4], %7: float32[4] = if(%4, %0, %5)
    then(%0: float32[4], %1: float32[4]) {
      %2: float32[4] = exp(%1)
      return %0, %2
    }
    else(%0: float32[4], %1: float32[4]) {
      return %1, %0
    }
  %8: float32[4] = mul(%6, %7)
  return %6, %7, %5, %8
}
)";

TEST(Control, ABranchHandsOnWhatItIsGiven) {
  auto graph = parsed(kBranch);
  auto executable = Executable::compile(*graph).take();
  executable->wait_compiled();
  for (float sign : {1.0f, -1.0f}) {
    std::vector<Tensor> in{vector({sign, 2, 0, sign}), vector({1, sign * 3, 3, 4})};
    if (sign < 0) in[0].data_as<float>()[1] = -5;
    const std::vector<Tensor> out = run(*executable, in, 4);
    const std::vector<Tensor> want = interpret(*graph, in).take();
    for (size_t i = 0; i < out.size(); ++i) expect_near(out[i], want[i]);
    EXPECT_TRUE(out[sign > 0 ? 0 : 1].same(in[0]));
    EXPECT_EQ(out[0].same(out[2]), sign < 0);  // %5 itself
    EXPECT_FALSE(out[1].same(out[2]));
  }
}

constexpr const char* kLoop = R"(graph f(%0: float32[4], %1: float32[4]) {
  %2: float32[4] = mul(%0, %1)
  %3: float32[4], %4: float32[4] = while(%2, %0, %1)
    body(%0: float32[4], %1: float32[4], %2: float32[4]) {
      %3: float32[4] = add(%0, %2)
      %4: float32[] = sum(%3)
      %5: weak float64[] = constant(50.0)
      %6: bool[] = less(%4, %5)
      return %6, %1, %3
    }
  %5: float32[4] = sub(%3, %2)
  return %3, %4, %5
}
)";

TEST(Control, ALoopSwapsWhatItCarries) {
  auto graph = parsed(kLoop);
  auto executable = Executable::compile(*graph).take();
  for (int round = 0; round < 3; ++round) {
    if (round == 2) executable->wait_compiled();
    std::vector<Tensor> in{vector({1, 2, 3, float(round)}), vector({2, 1, 1, 1})};
    const std::vector<Tensor> out = run(*executable, in, 3);
    const std::vector<Tensor> want = interpret(*graph, in).take();
    for (size_t i = 0; i < out.size(); ++i) expect_near(out[i], want[i]);
  }
}

TEST(Control, ManyThreadsRunOneLoop) {
  auto graph = parsed(kLoop);
  std::shared_ptr<Executable> executable = Executable::compile(*graph).take();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < 50; ++k) {
        std::vector<Tensor> in{vector({1, 2, float(t), 4}), vector({2, float(k % 5 + 1), 1, 1})};
        const std::vector<Tensor> out = run(*executable, in, 3);
        const std::vector<Tensor> want = interpret(*graph, in).take();
        for (size_t i = 0; i < out.size(); ++i) expect_near(out[i], want[i]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A run must not return a constant's own tensor, because the caller may write to it.
TEST(Control, AConstantIsCopied) {
  auto graph = parsed(R"(graph f(%0: bool[], %1: float32[3]) {
  %2: float32[] = constant(7.0)
  %3: float32[3] = broadcast_to(%2, shape=[3])
  %4: float32[3] = if(%0, %3, %1)
    then(%0: float32[3], %1: float32[3]) {
      return %0
    }
    else(%0: float32[3], %1: float32[3]) {
      %2: float32[3] = constant([1.0, 2.0, 3.0])
      return %2
    }
  return %4
}
)");
  auto executable = Executable::compile(*graph).take();
  for (bool flag : {true, false, true, false}) {
    std::vector<Tensor> in{Tensor::scalar<bool>(flag), vector({0, 0, 0})};
    Tensor out = run(*executable, in, 1)[0];
    expect_near(out, interpret(*graph, in).take()[0]);
    Tensor dense = out.to_contiguous().take();
    for (int i = 0; i < 3; ++i) dense.data_as<float>()[i] = -1;
  }
}

// Random nests over three float32[4] values and a flag made from one of them.
class NestMaker {
 public:
  explicit NestMaker(uint32_t seed)
      : rng_(seed), graph_(std::make_shared<Graph>()), sink_(graph_) {}
  std::shared_ptr<Graph> make() {
    Vals values;
    for (int i = 0; i < 3; ++i) values.push_back(sink_.input({DType::kFloat32, false, {4}}));
    block(values, 3);
    for (const Val& v : values) graph_->outputs.push_back(v.id());
    return graph_;
  }

 private:
  int pick(int n) { return static_cast<int>(rng_() % static_cast<uint32_t>(n)); }
  Val op(const char* name, std::vector<Val> in) {
    const OpDef* def = find_op(name);
    Attrs attrs;
    for (const Param& p : def->signature.params)
      if (!p.is_tensor()) attrs.push_back(p.default_value);
    return sink_.apply(*def, in, attrs).take()[0];
  }
  Val number(double v) { return sink_.constant(Tensor::scalar_of(DType::kFloat64, v, true)); }
  Val test(const Val& v) { return op("greater", {op("sum", {v}), number(pick(5) - 2)}); }

  void block(Vals& values, int depth) {
    for (int k = 1 + pick(3); k > 0; --k) {
      const int what = depth > 0 ? pick(6) : pick(3);
      Val& target = values[pick(3)];
      if (what < 2) target = op(what ? "sub" : "add", {values[pick(3)], values[pick(3)]});
      if (what == 2) target = op("tanh", {values[pick(3)]});
      if (what == 3) std::swap(values[0], values[1 + pick(2)]);
      if (what == 4) branch(values, depth - 1);
      if (what == 5) loop(values, depth - 1);
    }
  }
  void branch(Vals& values, int depth) {
    const Val predicate = test(values[pick(3)]);
    const auto first = static_cast<int32_t>(graph_->nodes.size());
    Vals arms[2] = {values, values};
    for (Vals& arm : arms) block(arm, depth);
    values = build_if(sink_, predicate, first, arms[0], arms[1]).take();
  }
  // Ends when a counter in one of the values has run out: five turns at most.
  void loop(Vals& values, int depth) {
    Val counter = op("sum", {op("mul", {values[0], number(0)})});
    Vals initial = values, carried;
    initial.push_back(counter);
    for (const Val& v : initial) carried.push_back(sink_.value(graph_->add_placeholder(v.meta())));
    const auto first = static_cast<int32_t>(graph_->nodes.size());
    Vals next(carried.begin(), carried.end() - 1);
    block(next, depth);
    for (Val& v : next) v = op("tanh", {v});
    next.push_back(op("add", {carried.back(), number(1)}));
    const Val again = op("less", {next.back(), number(1 + pick(4))});
    values = build_while(sink_, first, initial, carried, again, next).take();
    values.pop_back();
  }

  std::mt19937 rng_;
  std::shared_ptr<Graph> graph_;
  GraphSink sink_;
};

std::shared_ptr<Graph> swept(std::shared_ptr<Graph> graph) {
  auto again = parse_graph(print(*graph));  // drops values that building the arms has left
  return again.ok() ? again.take() : nullptr;
}

TEST(Control, RandomNestsAgreeWithTheEvaluator) {
  for (uint32_t seed = 0; seed < 24; ++seed) {
    auto made = NestMaker(seed).make();
    ASSERT_TRUE(dead_code(*made).ok());
    auto graph = swept(made);
    ASSERT_TRUE(graph) << print(*made);
    ASSERT_TRUE(verify(*graph).ok());
    auto executable = Executable::compile(*graph).take();
    const bool flags[] = {true, true, false};
    auto grads = differentiate(*graph, flags);
    ASSERT_TRUE(grads.ok()) << grads.error().message;
    for (int round = 0; round < 3; ++round) {
      if (round == 2 && seed % 4 == 0) executable->wait_compiled();
      std::mt19937 rng(seed * 7 + round);
      std::vector<Tensor> in;
      for (int i = 0; i < 3; ++i) in.push_back(random_tensor(rng, DType::kFloat32, {4}));
      const std::vector<Tensor> out = run(*executable, in, 3);
      const std::vector<Tensor> want = interpret(*graph, in).take();
      for (size_t i = 0; i < 3; ++i) {
        expect_near(out[i], want[i]);
        if (!graph->producer(graph->outputs[i]).is_control()) continue;
        for (size_t k = 0; k < 3; ++k) {
          EXPECT_EQ(out[i].same(in[k]), want[i].same(in[k])) << seed;
          if (graph->outputs[i] != graph->outputs[k] &&
              graph->producer(graph->outputs[k]).is_control()) {
            EXPECT_EQ(out[i].same(out[k]), want[i].same(want[k])) << seed;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace msjit::testing
