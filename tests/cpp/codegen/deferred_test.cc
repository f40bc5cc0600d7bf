// Executables whose plan is made on the compile thread: results, storage and errors are the same
// before the plan is ready and after.
#include <thread>

#include "codegen/compile_queue.h"
#include "codegen/graph_maker.h"
#include "codegen/region.h"
#include "kernels/eager/tape.h"

namespace msjit::testing {
namespace {

// Keeps the compile thread busy while it lives.
class HeldQueue {
 public:
  HeldQueue() : job_(std::make_shared<Job>()) {
    compile_queue_submit(job_);
    job_->begun.wait(false);
  }
  ~HeldQueue() { release(); }
  void release() {
    job_->ended = true;
    job_->ended.notify_all();
  }

 private:
  struct Job final : CompileJob {
    std::atomic<bool> begun{false}, ended{false};
    void run() override {
      begun = true;
      begun.notify_all();
      ended.wait(false);
    }
    void drop() override {}
  };
  std::shared_ptr<Job> job_;
};

class Deferred : public ::testing::Test {
 protected:
  // A plan that is dropped while it is being made, and then its kernels, still allocate. Waits
  // until both are done.
  void TearDown() override {
    for (int i = 0; i < 2; ++i) HeldQueue held;
  }
};

// Has so many ops that the compile thread makes the plan.
Val long_chain(GraphMaker& g, Val x) {
  for (int i = 0; i < 220; ++i) x = g.call("tanh", {g.call("add", {x, g.number(0.25)})});
  return x;
}

std::shared_ptr<Executable> deferred(const GraphMaker& g) {
  return Executable::compile_later(g.graph()).take();
}

TEST_F(Deferred, OutputsAreAsThoseOfThePlan) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {2, 3});
  Val y = long_chain(g, x);
  Val seven = g.constant(Tensor::scalar_of(DType::kFloat32, 7));
  const AttrValue flat = IntList{6};
  for (const Val& v : {y, x, y, seven, g.call("reshape", {x}, {{"shape", flat}}),
                       g.call("reshape", {y}, {{"shape", flat}}), x,
                       g.call("reshape", {seven}, {{"shape", AttrValue(IntList{1})}})})
    g.output(v);
  std::mt19937 rng(1);
  const auto in = random_inputs(rng, *g.graph());
  const auto want = interpret(*g.graph(), in).take();
  HeldQueue held;
  auto executable = deferred(g);
  for (bool planned : {false, true}) {
    if (planned) {
      held.release();
      executable->wait_compiled();
    }
    EXPECT_EQ(executable->tier(), planned);
    const auto out = run(*executable, in, 8).take();
    EXPECT_TRUE(same(out, want));
    for (size_t i : {1, 4, 6}) EXPECT_EQ(out[i].data(), in[0].data()) << planned << i;
    for (size_t i : {1, 6}) EXPECT_FALSE(out[i].same(in[0])) << planned << i;
    EXPECT_FALSE(out[1].same(out[6])) << planned;
    EXPECT_NE(out[0].data(), out[2].data()) << planned;
    EXPECT_EQ(out[0].data(), out[5].data()) << planned;
    const void* constant = g.graph()->producer(g.graph()->outputs[3]).constant.data();
    for (size_t i : {3, 7}) EXPECT_NE(out[i].data(), constant) << planned << i;
  }
  EXPECT_NE(executable->describe().find("fused"), std::string::npos);
  EXPECT_GT(executable->compile_ms(), 0);
}

TEST_F(Deferred, RunsFromManyThreadsWhileItIsPlanned) {
  GraphMaker g;
  g.output(long_chain(g, g.input(DType::kFloat32, {40, 50})));
  std::mt19937 rng(2);
  const auto in = random_inputs(rng, *g.graph());
  const auto want = interpret(*g.graph(), in).take();
  for (int round = 0; round < 5; ++round) {
    auto executable = deferred(g);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 40; ++i) {
          auto got = run(*executable, in, 1);
          if (!got.ok() || !same(got.value(), want)) ++wrong;
        }
      });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(Deferred, MayBeDroppedBeforeItIsPlanned) {
  GraphMaker g;
  g.output(long_chain(g, g.input(DType::kFloat32, {3})));
  for (int i = 0; i < 20; ++i) deferred(g);
  HeldQueue held;
  deferred(g);
}

TEST_F(Deferred, ErrorsAreThoseOfTheOp) {
  GraphMaker g;
  Val table = g.input(DType::kFloat32, {4, 2}), rows = g.input(DType::kInt32, {3});
  Val x = long_chain(g, g.call("gather", {table, rows}));
  ASSERT_TRUE(x);
  g.output(x);
  std::mt19937 rng(3);
  auto in = random_inputs(rng, *g.graph());
  for (int i = 0; i < 3; ++i) in[1].data_as<int32_t>()[i] = 100 + i;
  HeldQueue held;
  auto executable = deferred(g);
  auto before = run(*executable, in, 1);
  held.release();
  executable->wait_compiled();
  auto after = run(*executable, in, 1);
  ASSERT_FALSE(before.ok());
  ASSERT_FALSE(after.ok());
  EXPECT_EQ(before.error().message, after.error().message);
}

// The compile thread also plans forward and backward graphs of a region. Nothing is recorded twice.
TEST_F(Deferred, GradientsOfRegions) {
  GraphMaker g;
  g.output(long_chain(g, g.input(DType::kFloat32, {4, 5})));
  auto region = RegionFunction::create(g.graph()).take();
  std::mt19937 rng(4);
  const Tensor x = random_inputs(rng, *g.graph())[0];
  set_requires_grad(x, true);
  std::vector<Tensor> grads;
  HeldQueue held;
  for (bool planned : {false, true}) {
    if (planned) {
      held.release();
      region->wait_compiled();
    }
    TensorImpl* in = x.impl();
    Tensor out;
    ASSERT_TRUE(region->call({&in, 1}, {&out, 1}).ok());
    auto grad = gradients({&out, 1}, {}, {&x, 1}, false);
    ASSERT_TRUE(grad.ok()) << grad.error().message;
    grads.push_back(grad.value()[0]);
  }
  EXPECT_TRUE(same(grads[0], grads[1], 1e-6));
}

}  // namespace
}  // namespace msjit::testing
