#include "graph/graph_testing.h"
#include "kernels/core/registry.h"

namespace msjit {

extern const OpDef op_assign;

namespace {

using namespace testing_util;
using namespace words;

Tensor run1(const OpDef& op, std::initializer_list<Tensor> in, Attrs attrs = {}) {
  TensorVec out;
  Status status = run_op(op, {in.begin(), in.size()}, attrs, &out);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return status.ok() ? out[0] : Tensor();
}

const OpDef& op(const char* name) {
  const OpDef* found = find_op(name);
  if (!found) ADD_FAILURE() << "no op " << name;
  return *found;
}

Tensor leaf(std::vector<double> values, DType dtype = DType::kFloat64) {
  Tensor t = make(Shape{static_cast<Dim>(values.size())}, values, dtype);
  set_requires_grad(t, true);
  return t;
}

std::vector<double> grad_values(const Tensor& output, const Tensor& wrt,
                                bool create_graph = false) {
  auto grads = gradients({&output, 1}, {}, {&wrt, 1}, create_graph);
  EXPECT_TRUE(grads.ok()) << (grads.ok() ? "" : grads.error().message);
  return grads.ok() ? values_of(grads.value()[0]) : std::vector<double>();
}

using Doubles = std::vector<double>;

TEST(Tape, GradientOfAProduct) {
  Tensor x = leaf({2, 3}), y = leaf({5, 7});
  Tensor z = run1(op("mul"), {x, y});
  Tensor wrt[] = {x, y};
  auto grads = gradients({&z, 1}, {}, wrt, false);
  ASSERT_TRUE(grads.ok());
  EXPECT_EQ(values_of(grads.value()[0]), (Doubles{5, 7}));
  EXPECT_EQ(values_of(grads.value()[1]), (Doubles{2, 3}));
}

TEST(Tape, UsedTwiceAccumulates) {
  Tensor x = leaf({2, 3});
  Tensor z = run1(op("add"), {run1(op("mul"), {x, x}), x});
  EXPECT_EQ(grad_values(z, x), (Doubles{5, 7}));
}

TEST(Tape, UnreachableIsZero) {
  Tensor x = leaf({2, 3}), y = leaf({1});
  EXPECT_EQ(grad_values(run1(op("neg"), {x}), y), (Doubles{0}));
}

TEST(Tape, OutputItself) {
  Tensor x = leaf({2, 3});
  EXPECT_EQ(grad_values(x, x), (Doubles{1, 1}));
  Tensor y = run1(op("neg"), {x});
  EXPECT_EQ(grad_values(y, y), (Doubles{1, 1}));
}

TEST(Tape, GradientOfAnIntermediate) {
  Tensor x = leaf({2, 3});
  Tensor y = run1(op("mul"), {x, x});
  Tensor z = run1(op("mul"), {y, y});
  EXPECT_EQ(grad_values(z, y), (Doubles{8, 18}));
}

TEST(Tape, ThirdOrder) {
  Tensor x = leaf({2});
  Tensor y = run1(op("mul"), {run1(op("mul"), {x, x}), run1(op("mul"), {x, x})});
  Doubles expected = {32, 48, 48};  // 4x^3, 12x^2, 24x
  for (double want : expected) {
    auto grads = gradients({&y, 1}, {}, {&x, 1}, true);
    ASSERT_TRUE(grads.ok());
    y = grads.value()[0];
    EXPECT_EQ(values_of(y), (Doubles{want}));
  }
}

TEST(Tape, SecondOrderThroughOutputs) {
  Tensor x = leaf({0.5});
  Tensor y = run1(op("tanh"), {x});
  auto first = gradients({&y, 1}, {}, {&x, 1}, true);
  ASSERT_TRUE(first.ok());
  double t = std::tanh(0.5);
  EXPECT_NEAR(values_of(first.value()[0])[0], 1 - t * t, 1e-9);
  EXPECT_NEAR(grad_values(first.value()[0], x)[0], -2 * t * (1 - t * t), 1e-9);
}

TEST(Tape, ParametersAreTrackedOnlyInsideAScope) {
  Tensor w = make(Shape{2}, {1, 2});
  mark_parameter(w, true);
  EXPECT_FALSE(is_tracked(run1(op("neg"), {w})));
  {
    GradScope scope;
    Tensor y = run1(op("neg"), {w});
    EXPECT_TRUE(is_tracked(y));
    GradScope off(false);
    EXPECT_FALSE(is_tracked(run1(op("neg"), {w})));
  }
  EXPECT_FALSE(is_tracked(w));
}

TEST(Tape, NestedTransformsDoNotMix) {
  // d/dx (x * d/dy (x * y) at y = x) = 2x, although x and y are the same tensor.
  GradScope outer;
  Tensor x = grad_input(make(Shape{1}, {3}));
  Tensor inner_grad;
  {
    GradScope inner;
    Tensor y = grad_input(x);
    Tensor product = run1(op("mul"), {x, y});
    auto grads = gradients({&product, 1}, {}, {&y, 1}, true);
    ASSERT_TRUE(grads.ok());
    inner_grad = grads.value()[0];
  }
  EXPECT_EQ(values_of(inner_grad), (Doubles{3}));
  Tensor z = run1(op("mul"), {x, inner_grad});
  EXPECT_EQ(grad_values(z, x), (Doubles{6}));
}

TEST(Tape, BackwardAccumulates) {
  Tensor x = leaf({2, 3});
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(backward(run1(op("mul"), {x, x}), {}).ok());
  EXPECT_EQ(values_of(grad_of(x)), (Doubles{8, 12}));
  EXPECT_FALSE(backward(make(Shape{1}, {1}), {}).ok());
}

TEST(Tape, SeedOfTheWrongShapeIsRefused) {
  Tensor x = leaf({2, 3}), seed = make(Shape{3}, {1});
  Tensor y = run1(op("neg"), {x});
  auto grads = gradients({&y, 1}, {&seed, 1}, {&x, 1}, false);
  ASSERT_FALSE(grads.ok());
  EXPECT_EQ(grads.error().message,
            "[grad] the seed must have the shape of the output, got (3,), expected (2,)");
}

TEST(Tape, WriteAfterUseIsAnErrorWhereTheValueIsNeeded) {
  Tensor x = leaf({2, 3}), c = make(Shape{2}, {1, 1});
  Tensor needed = run1(op("mul"), {x, c});
  Tensor not_needed = run1(op("add"), {x, c});
  run1(op("assign"), {c, make(Shape{2}, {9, 9})});
  auto grads = gradients({&needed, 1}, {}, {&x, 1}, false);
  ASSERT_FALSE(grads.ok());
  EXPECT_EQ(grads.error().message,
            "[backward] a tensor that mul needs for its gradient was modified in place, got "
            "version 1, expected 0");
  EXPECT_EQ(grad_values(not_needed, x), (Doubles{1, 1}));
}

TEST(Tape, AssignToATrackedLeafIsRefused) {
  Tensor x = leaf({2, 3}), value = make(Shape{2}, {1, 1});
  TensorVec out;
  Tensor in[] = {x, value};
  EXPECT_FALSE(run_op(op("assign"), in, {}, &out).ok());
  GradScope off(false);
  EXPECT_TRUE(run_op(op("assign"), in, {}, &out).ok());
  EXPECT_EQ(values_of(x), (Doubles{1, 1}));
}

TEST(Tape, AssignGivesHistory) {
  Tensor x = leaf({2, 3}), buffer = make(Shape{2}, {0, 0});
  run1(op("assign"), {buffer, run1(op("mul"), {x, x})});
  EXPECT_EQ(grad_values(buffer, x), (Doubles{4, 6}));
  Tensor state = make(Shape{2}, {0, 0});
  mark_parameter(state, false);
  run1(op("assign"), {state, run1(op("mul"), {x, x})});
  EXPECT_FALSE(is_tracked(state));
}

TEST(Tape, LongChainsNeedNoStack) {
  Tensor x = leaf({1});
  Tensor y = x;
  Tensor one = make(Shape{1}, {1});
  for (int i = 0; i < 200000; ++i) y = run1(op("mul"), {y, one});
  EXPECT_EQ(grad_values(y, x), (Doubles{1}));
}

TEST(Tape, NothingLeaks) {
  int64_t nodes = live_tape_nodes();
  int64_t blocks = allocator_stats().live_blocks;
  {
    Tensor x = leaf({2, 3}), buffer = make(Shape{2}, {0, 0});
    Tensor y = run1(op("mul"), {run1(op("tanh"), {x}), x});
    run1(op("assign"),
         {buffer, run1(op("add"), {y, buffer})});  // the sum keeps the handle it is written to
    Tensor z = run1(op("exp"), {run1(op("add"), {buffer, y})});
    auto first = gradients({&z, 1}, {}, {&x, 1}, true);
    ASSERT_TRUE(first.ok());
    grad_values(first.value()[0], x);
    EXPECT_GT(live_tape_nodes(), nodes);
  }
  EXPECT_EQ(live_tape_nodes(), nodes);
  EXPECT_EQ(allocator_stats().live_blocks, blocks);
}

class Doubler final : public CustomBackward {
 public:
  const char* name() const override { return "doubler"; }
  Result<std::vector<Tensor>> run(std::span<const Tensor>, std::span<const Tensor>,
                                  const BackwardRequest& request) override {
    const Tensor& grad = request.output_grads[0];
    return std::vector<Tensor>{run1(op("add"), {grad, grad})};
  }
};

TEST(Tape, CustomBackward) {
  Tensor x = leaf({2, 3});
  Tensor y = make(Shape{2}, {4, 6});
  record_custom(std::make_shared<Doubler>(), {&x, 1}, {&y, 1});
  EXPECT_EQ(grad_values(run1(op("mul"), {y, y}), x), (Doubles{16, 24}));
}

TEST(EagerSink, CountsAndMissingKernel) {
  reset_eager_op_count();
  Tensor x = make(Shape{2}, {1, 2});
  run1(op("neg"), {x});
  run1(op("neg"), {x});
  EXPECT_EQ(eager_op_count(), 2);
  OpDef bare = op("neg");
  bare.name = "bare";
  bare.kernel[0] = nullptr;
  bare.composite = nullptr;
  TensorVec out;
  Status status = run_op(bare, {&x, 1}, {}, &out);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kNotImplemented);
  EXPECT_EQ(status.error().message, "[bare] kernel for the CPU, got none, expected one");
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace msjit
