// Open sizes: expressions, the environment of a capture, expressions fitted to values (fit_size),
// and graphs built again for other sizes.
#include <gtest/gtest.h>

#include "graph/shape_trace.h"
#include "graph/size_fit.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

const std::vector<std::string> kNames = {"n", "m"};

SizeExpr n() { return size_symbol(0); }
SizeExpr m() { return size_symbol(1); }
SizeExpr make(SizeOp op, const SizeExpr& a, int64_t b) { return size_binary(op, a, size_const(b)); }
std::string text(const SizeExpr& expr) { return size_text(expr, kNames); }

int64_t value(const SizeExpr& expr, std::vector<int64_t> sizes) {
  int64_t out = 0;
  EXPECT_TRUE(evaluate(*expr, sizes, &out));
  return out;
}

TEST(SizeExpr, FoldsAndPrintsAsPython) {
  EXPECT_EQ(text(make(SizeOp::kAdd, make(SizeOp::kAdd, n(), 2), 3)), "n + 5");
  EXPECT_EQ(text(make(SizeOp::kSub, make(SizeOp::kAdd, n(), 2), 3)), "n - 1");
  EXPECT_EQ(text(make(SizeOp::kFloorDiv, make(SizeOp::kMul, n(), 4), 4)), "n");
  EXPECT_EQ(text(size_binary(SizeOp::kSub, n(), n())), "0");
  EXPECT_EQ(text(size_binary(SizeOp::kMul, make(SizeOp::kAdd, n(), 1), m())), "(n + 1) * m");
  EXPECT_EQ(text(size_binary(SizeOp::kSub, n(), size_binary(SizeOp::kSub, n(), m()))),
            "n - (n - m)");
  EXPECT_EQ(text(make(SizeOp::kMul, make(SizeOp::kFloorDiv, n(), 2), 3)), "n // 2 * 3");
  EXPECT_EQ(text(size_binary(SizeOp::kMin, n(), m())), "min(n, m)");
}

TEST(SizeExpr, DividesAsPython) {
  for (int64_t a : {-7, -6, -1, 0, 1, 6, 7}) {
    const int64_t floored = a >= 0 ? a / 3 : -((-a + 2) / 3);
    EXPECT_EQ(value(make(SizeOp::kFloorDiv, n(), 3), {a}), floored);
    EXPECT_EQ(value(make(SizeOp::kMod, n(), 3), {a}), a - 3 * floored);
  }
  EXPECT_EQ(value(make(SizeOp::kMod, n(), -3), {7}), -2);
}

TEST(SizeExpr, FailsInsteadOfOverflowing) {
  int64_t out = 0;
  const std::vector<int64_t> large = {INT64_MAX, 0};
  EXPECT_FALSE(evaluate(*make(SizeOp::kAdd, n(), 1), large, &out));
  EXPECT_FALSE(evaluate(*make(SizeOp::kMul, n(), 2), large, &out));
  EXPECT_FALSE(evaluate(*size_binary(SizeOp::kFloorDiv, n(), m()), large, &out));
  EXPECT_EQ(size_binary(SizeOp::kFloorDiv, size_const(1), size_const(0)), nullptr);
}

TEST(ShapeEnv, KeepsWhatWasReliedOn) {
  ShapeEnv env;
  const SizeExpr a = size_symbol(env.add_symbol("x.shape[0]", 4));
  EXPECT_FALSE(env.decide(SizeCompare::kLess, a, size_const(3)));
  EXPECT_FALSE(env.decide(SizeCompare::kLess, a, size_const(3)));
  ASSERT_EQ(env.relations().size(), 1u);
  EXPECT_EQ(env.relations()[0].text(env.names()), "x.shape[0] >= 3");
  EXPECT_TRUE(env.decide(SizeCompare::kEqual, a, a));
  EXPECT_EQ(env.relations().size(), 1u);
  EXPECT_EQ(env.specialise(size_binary(SizeOp::kFloorDiv, a, size_const(2))), 2);
  EXPECT_FALSE(env.is_fixed(0));
  env.specialise_all();
  EXPECT_TRUE(env.is_fixed(0));
  EXPECT_EQ(env.relations().back().text(env.names()), "x.shape[0] == 4");
  EXPECT_TRUE(env.relations()[0].holds(std::vector<int64_t>{3}));
  EXPECT_FALSE(env.relations()[0].holds(std::vector<int64_t>{2}));
}

// The expression that fit_size finds if it only gets the values of a given one.
std::string fitted(const SizeExpr& truth, std::vector<int64_t> hints, int64_t multiple = 1) {
  int64_t base = 0;
  EXPECT_TRUE(evaluate(*truth, hints, &base));
  const auto f = [&](const std::vector<int64_t>& sizes, int64_t* out) {
    for (int64_t size : sizes)
      if (size % multiple) return false;
    return evaluate(*truth, sizes, out);
  };
  const SizeExpr guess = fit_size(hints, (uint64_t(1) << hints.size()) - 1, base, f);
  return guess ? text(guess) : "none";
}

TEST(SizeFit, FindsTheUsualForms) {
  EXPECT_EQ(fitted(make(SizeOp::kAdd, n(), 2), {5}), "n + 2");
  EXPECT_EQ(fitted(make(SizeOp::kSub, make(SizeOp::kMul, n(), 3), 4), {5}), "n * 3 - 4");
  EXPECT_EQ(fitted(make(SizeOp::kFloorDiv, make(SizeOp::kAdd, n(), 1), 2), {6}), "(n + 1) // 2");
  EXPECT_EQ(fitted(make(SizeOp::kFloorDiv, n(), 4), {8}, 4), "n // 4");
  EXPECT_EQ(fitted(size_binary(SizeOp::kMul, n(), m()), {4, 6}), "n * m");
  EXPECT_EQ(fitted(make(SizeOp::kMul, size_binary(SizeOp::kMul, n(), n()), 2), {3}), "n * n * 2");
  EXPECT_EQ(fitted(size_binary(SizeOp::kAdd, n(), m()), {4, 6}), "n + m");
  EXPECT_EQ(fitted(size_const(7), {4, 6}), "7");
  EXPECT_EQ(fitted(make(SizeOp::kMod, n(), 3), {4}), "none");
}

class Recorded {
 public:
  explicit Recorded(std::vector<int64_t> shape) : graph(std::make_shared<Graph>()), sink(graph) {
    recorder = std::make_unique<ShapeRecorder>(&env, graph);
    sink.set_recorder(recorder.get());
    sink.set_merging(false);
    Meta meta;
    for (int64_t d : shape) meta.shape.push_back(d);
    x = sink.input(meta);
    std::vector<TracedSize> sizes;
    for (size_t d = 0; d < shape.size(); ++d) {
      const int symbol = env.add_symbol(kNames[d], shape[d]);
      sizes.push_back({static_cast<int32_t>(d), 0, size_symbol(symbol)});
    }
    recorder->input(x.id(), std::move(sizes));
  }
  std::string dims(const Val& v) {
    std::string all;
    for (const SizeExpr& d : recorder->dims(v.id())) all += (d ? text(d) : "none") + ";";
    return all;
  }
  std::string built(std::vector<int64_t> sizes) {
    auto graph = build_graph(*recorder->finish(), sizes);
    return graph.ok() ? print(*graph.value()) : graph.error().message;
  }

  ShapeEnv env;
  std::shared_ptr<Graph> graph;
  GraphSink sink;
  std::unique_ptr<ShapeRecorder> recorder;
  Val x;
};

TEST(ShapeTrace, BuildsTheGraphForOtherSizes) {
  Recorded r({4, 6});
  Val y = call(*find_op("transpose"), {r.x}, {AttrValue(IntList{1, 0})});
  EXPECT_EQ(r.dims(y), "m;n;");
  r.recorder->set_sizes({{0, 0, size_binary(SizeOp::kMul, n(), m())}});
  Val flat = call(*find_op("reshape"), {y}, {AttrValue(IntList{24})});
  EXPECT_EQ(r.dims(flat), "n * m;");
  r.recorder->output(flat.id(), false);
  const std::string text = r.built({3, 5});
  EXPECT_NE(text.find("float32[5, 3] = transpose"), std::string::npos) << text;
  EXPECT_NE(text.find("reshape(%1, shape=[15])"), std::string::npos) << text;
}

TEST(ShapeTrace, ExpandsCompositesAnew) {
  Recorded r({4, 6});
  Val y = call(*find_op("mean"), {r.x}, {AttrValue(IntList{0}), AttrValue(false)});
  r.recorder->output(y.id(), false);
  EXPECT_EQ(r.recorder->finish()->steps.size(), 2u);
  EXPECT_NE(r.built({3, 5}), r.built({7, 5}));
}

TEST(ShapeTrace, RefusesSizesThatAreNoSuchProgram) {
  Recorded r({4, 6});
  Val y = call(*find_op("reshape"), {r.x}, {AttrValue(IntList{2, -1})});
  EXPECT_EQ(r.dims(y), "2;n * m // 2;");
  r.recorder->output(y.id(), false);
  EXPECT_NE(r.built({3, 5}).find("[reshape]"), std::string::npos);
  EXPECT_NE(r.built({3, 8}).find("shape=[2, -1]"), std::string::npos);
}

TEST(ShapeTrace, NoticesWhatIsNotRecorded) {
  Recorded r({4, 6});
  r.sink.set_recorder(nullptr);
  Val y = call(*find_op("tanh"), {r.x});
  r.sink.set_recorder(r.recorder.get());
  call(*find_op("tanh"), {y});
  EXPECT_TRUE(r.recorder->broken());
}

}  // namespace
}  // namespace msjit
