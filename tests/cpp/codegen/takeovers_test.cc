// Results that take over the memory of an input: which ones do, and that no other value changes.
#include "codegen/graph_maker.h"
#include "codegen/plan.h"
#include "graph/passes/passes.h"
#include "graph/scan.h"

namespace msjit::testing {
namespace {

Val update_row(GraphMaker& g, const Val& x, const Val& row, int64_t at) {
  return g.call("slice_update", {x, row},
                {{"begin", AttrValue(IntList{at, 0})},
                 {"end", AttrValue(IntList{at + 1, 8})},
                 {"step", AttrValue(IntList{1, 1})}});
}

Val row_of(GraphMaker& g, const Val& x, int64_t at) {
  return g.call("slice", {x},
                {{"begin", AttrValue(IntList{at, 0})},
                 {"end", AttrValue(IntList{at + 1, 8})},
                 {"step", AttrValue(IntList{1, 1})}});
}

int count_takeovers(const std::shared_ptr<Graph>& graph) {
  auto plan = make_plan(graph, *graph);
  EXPECT_TRUE(plan.ok());
  int count = 0;
  for (const PlanStep& step : plan.value()->steps) count += step.takes >= 0;
  return count;
}

// An intermediate that a fused loop makes.
Val made(GraphMaker& g, const Val& x) { return g.call("tanh", {g.call("add", {x, g.number(1)})}); }

TEST(Takeovers, AChainOfWritesNeedsOneBuffer) {
  GraphMaker g;
  const Val x = g.input(DType::kFloat32, {8, 8});
  Val y = made(g, x);
  for (int64_t i = 1; i < 8; ++i) y = update_row(g, y, row_of(g, y, i - 1), i);
  g.output(y);
  EXPECT_EQ(count_takeovers(g.graph()), 7);
  auto plan = make_plan(g.graph(), *g.graph());
  EXPECT_EQ(plan.value()->arena_bytes, 0);  // the buffer is the result's own
  check(g, 1e-5);
}

TEST(Takeovers, InTheArena) {
  GraphMaker g;
  const Val x = g.input(DType::kFloat32, {8, 8});
  Val y = update_row(g, update_row(g, made(g, x), row_of(g, x, 0), 3), row_of(g, x, 1), 4);
  g.output(g.call("matmul", {y, x}));
  EXPECT_EQ(count_takeovers(g.graph()), 2);
  EXPECT_EQ(make_plan(g.graph(), *g.graph()).value()->arena_bytes, 8 * 8 * 4);
  check(g, 1e-4);
}

TEST(Takeovers, NotOfWhatIsReadLater) {
  GraphMaker g;
  const Val x = g.input(DType::kFloat32, {8, 8});
  const Val y = made(g, x), old_row = row_of(g, y, 2);
  const Val z = update_row(g, y, row_of(g, x, 0), 2);
  g.output(
      g.call("matmul", {z, g.call("transpose", {old_row}, {{"perm", AttrValue(IntList{1, 0})}})}));
  EXPECT_EQ(count_takeovers(g.graph()), 0);
  check(g, 1e-4);
}

TEST(Takeovers, NotOfInputsConstantsAndResults) {
  GraphMaker g;
  const Val x = g.input(DType::kFloat32, {8, 8});
  const Val y = made(g, x);
  g.output(update_row(g, x, row_of(g, y, 0), 1));
  g.output(y);
  g.output(update_row(g, y, row_of(g, x, 0), 1));
  EXPECT_EQ(count_takeovers(g.graph()), 0);
  check(g, 1e-5);
}

// out[t] = out[t - 1] + rows[t] for t from 1 on: each turn writes one row.
TEST(Takeovers, WhatALoopCarries) {
  GraphMaker g;
  const Val x = g.input(DType::kFloat32, {8, 8}), rows = g.input(DType::kFloat32, {7, 8});
  const Val turns =
      g.call("arange", {}, {{"start", AttrValue(int64_t{1})}, {"end", AttrValue(int64_t{8})}});
  const auto first = static_cast<int32_t>(g.graph()->nodes.size());
  const auto placeholder = [&](const Meta& meta) {
    return Val(x.sink(), g.graph()->add_placeholder(meta));
  };
  ScanParts parts;
  parts.length = 7;
  parts.initial = {x};
  parts.sequences = {rows, turns};
  parts.inside = {placeholder(x.meta())};
  parts.rows = {placeholder(row_meta(rows.meta())), placeholder(row_meta(turns.meta()))};
  const Val before = g.call("sub", {parts.rows[1], g.number(1, DType::kInt64)});
  const NamedAttr axis{"axes", AttrValue(IntList{0})};
  const Val last = g.call("select_at", {parts.inside[0], before}, {axis});
  const Val row = g.call("add", {last, parts.rows[0]});
  parts.next = {g.call("index_update", {parts.inside[0], row, parts.rows[1]}, {axis})};
  auto results = build_scan(*static_cast<GraphSink*>(x.sink()), first, parts);
  ASSERT_TRUE(results.ok());
  g.output(results.value()[0]);
  ASSERT_TRUE(dead_code(*g.graph()).ok());  // what the body was made of
  auto plan = make_plan(g.graph(), *g.graph());
  int reuses = 0;
  for (const PlanStep& step : plan.value()->steps)
    for (const auto& body : step.nested)
      for (const PlanStep& inside : body->steps) reuses += inside.reuses >= 0;
  EXPECT_EQ(reuses, 1);
  check(g, 1e-5);  // which also sees whether the inputs have been changed
}

TEST(Takeovers, ValuesAndIndicesOfTheSameMemory) {
  GraphMaker g;
  const Val x = g.input(DType::kInt64, {8, 8});
  const Val y = g.call("abs", {x}),
            index = g.call("reshape", {row_of(g, y, 0)}, {{"shape", AttrValue(IntList{8})}});
  const Val z = g.call("index_update",
                       {y, row_of(g, y, 1), g.call("mod", {index, g.number(8, DType::kInt64)})},
                       {{"axes", AttrValue(IntList{0})}, {"accumulate", AttrValue(false)}});
  g.output(g.call("index_update",
                  {z, row_of(g, z, 2), g.call("mod", {index, g.number(8, DType::kInt64)})},
                  {{"axes", AttrValue(IntList{0})}, {"accumulate", AttrValue(true)}}));
  check(g, 0);
}

}  // namespace
}  // namespace msjit::testing
