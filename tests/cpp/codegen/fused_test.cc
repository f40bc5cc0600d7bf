// Fused loops against the reference evaluator: elementwise work bit for bit, reductions within
// tolerance.
#include "codegen/graph_maker.h"

namespace msjit::testing {
namespace {

const Shape kShapes[] = {{},      {1},       {5},        {16},   {33},     {4, 4},
                         {3, 17}, {2, 3, 5}, {2, 1, 40}, {7, 1}, {64, 10}, {2, 3, 4, 5}};
const DType kAllTypes[] = {DType::kBool,    DType::kUInt8,  DType::kInt8,    DType::kInt16,
                           DType::kInt32,   DType::kInt64,  DType::kFloat16, DType::kBFloat16,
                           DType::kFloat32, DType::kFloat64};

TEST(Fused, ChainOfFloats) {
  for (const Shape& shape : kShapes) {
    GraphMaker g;
    Val x = g.input(DType::kFloat32, shape), y = g.input(DType::kFloat32, shape);
    Val z = g.call("mul", {g.call("add", {x, y}), g.number(0.5)});
    g.output(g.call("sub", {z, x}));
    g.output(z);
    check(g, 0, true);
  }
}

TEST(Fused, TanhGelu) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {1000});
  Val cube = g.call("mul", {g.call("mul", {g.call("mul", {x, x}), x}), g.number(0.044715)});
  Val inner = g.call("mul", {g.call("add", {x, cube}), g.number(0.79788456)});
  Val gate = g.call("add", {g.call("tanh", {inner}), g.number(1)});
  g.output(g.call("mul", {g.call("mul", {x, g.number(0.5)}), gate}));
  check(g, 0, true);
}

// The sine of float64 is the library's, a kernel of its own.
TEST(Fused, CircularFunctions) {
  for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64}) {
    GraphMaker g;
    Val x = g.input(dtype, {3, 37});
    Val z = g.call("mul", {g.call("sin", {x}), g.call("atan", {x})});
    g.output(g.call("pow", {g.call("cosh", {z}), x}));
    check(g, 0, true);
    auto executable = Executable::compile(*g.graph()).take();
    EXPECT_EQ(executable->num_kernels(), dtype == DType::kFloat64 ? 2 : 1)
        << executable->describe();
  }
}

TEST(Fused, Broadcasting) {
  const std::pair<Shape, Shape> pairs[] = {
      {{4, 5}, {5}},       {{4, 5}, {4, 1}},       {{4, 1}, {1, 5}},
      {{2, 3, 4}, {3, 1}}, {{2, 1, 4}, {2, 3, 1}}, {{}, {3, 20}},
      {{1}, {40}},         {{2, 3, 20}, {3, 20}},  {{6, 1, 33}, {1, 33}}};
  for (auto& [a, b] : pairs) {
    GraphMaker g;
    Val x = g.input(DType::kFloat32, a), y = g.input(DType::kFloat32, b);
    Val z = g.call("add", {x, y});
    g.output(g.call("mul", {z, y}));
    check(g);
  }
}

TEST(Fused, EveryDtypePair) {
  for (DType a : kAllTypes)
    for (DType b : kAllTypes) {
      GraphMaker g;
      Val x = g.input(a, {3, 21}), y = g.input(b, {21});
      Val sum = g.call("add", {x, y});
      g.output(g.call("mul", {sum, x}));
      g.output(g.call("less", {x, y}));
      check(g, 0, true);
    }
}

TEST(Fused, CastsBetweenAllDtypes) {
  for (DType a : kAllTypes)
    for (DType b : kAllTypes) {
      GraphMaker g;
      Val x = g.input(a, {37});
      Val y = g.try_call("cast", {x}, {{"dtype", AttrValue(b)}});
      if (!y) GTEST_SKIP();
      Val z = g.call("add", {y, y});
      g.output(z);
      g.output(y);
      check(g, 0, true);
    }
}

TEST(Fused, ResultsOfHalfAreRoundedInBetween) {
  for (DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    GraphMaker g;
    Val x = g.input(dtype, {100}), y = g.input(dtype, {100});
    g.output(g.call("mul", {g.call("mul", {g.call("add", {x, y}), y}), x}));
    check(g, 0, true);
  }
}

TEST(Fused, StridedInputs) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {5, 18}), y = g.input(DType::kFloat32, {5, 18});
  g.output(g.call("mul", {g.call("add", {x, y}), x}));
  std::mt19937 rng(3);
  auto executable = Executable::compile(*g.graph()).take();
  executable->wait_compiled();
  Tensor plain = random_tensor(rng, DType::kFloat32, {5, 18});
  Tensor turned = random_tensor(rng, DType::kFloat32, {18, 5});
  Tensor wide = random_tensor(rng, DType::kFloat32, {10, 54});
  const Tensor layouts[] = {
      plain, Tensor::view(turned, {5, 18}, {1, 5}, 0), Tensor::view(wide, {5, 18}, {108, 3}, 1),
      Tensor::view(wide, {5, 18}, {54, 1}, 2), Tensor::view(wide, {5, 18}, {0, 1}, 0)};
  for (const Tensor& a : layouts)
    for (const Tensor& b : layouts) {
      std::vector<Tensor> in = {a, b};
      auto want = interpret(*g.graph(), in);
      for (int round = 0; round < 3; ++round) {  // op by op first, then its own variant
        auto got = run(*executable, in, 1);
        ASSERT_TRUE(got.ok());
        EXPECT_TRUE(same(got.value(), want.value()));
      }
    }
}

TEST(Fused, ReductionsOverEveryAxisSet) {
  for (const char* op : {"sum", "prod", "max", "min"})
    for (const Shape& shape : {Shape{40}, Shape{3, 70}, Shape{70, 3}, Shape{5, 6, 7},
                               Shape{3, 4, 5, 19}, Shape{130, 33}})
      for (uint32_t mask = 1; mask < (1u << shape.rank()); ++mask)
        for (bool keep : {false, true}) {
          IntList axes;
          for (int i = 0; i < shape.rank(); ++i)
            if ((mask >> i) & 1) axes.push_back(i);
          GraphMaker g;
          Val x = g.input(DType::kFloat32, shape);
          Val y = g.call("mul", {g.call("add", {x, g.number(3)}), g.number(0.2)});
          Val r = g.try_call(op, {y}, {{"axis", AttrValue(axes)}, {"keepdims", AttrValue(keep)}});
          if (!r) GTEST_SKIP() << op;
          g.output(r);
          g.output(g.call("mul", {r, g.number(0.25)}));
          if (mask & 1) g.output(y);
          check(g, 1e-5);
        }
}

TEST(Fused, ReductionDtypes) {
  for (DType dtype : kAllTypes)
    for (const char* op : {"sum", "max", "min"})
      for (int axis : {0, 1}) {
        GraphMaker g;
        Val x = g.input(dtype, {9, 45});
        Val r = g.try_call(op, {x}, {{"axis", AttrValue(IntList{axis})}});
        if (!r) continue;
        g.output(r);
        bool narrow = dtype == DType::kFloat16 || dtype == DType::kBFloat16;
        check(g, narrow ? 1e-2 : 1e-5);
      }
}

TEST(Fused, MaximumPropagatesNan) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {4, 50});
  g.output(g.call("max", {x}, {{"axis", AttrValue(IntList{1})}}));
  g.output(g.call("max", {x}, {{"axis", AttrValue(IntList{0})}}));
  check(g, 0, true);
}

TEST(Fused, SoftmaxByHand) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {6, 50});
  AttrValue last = IntList{1};
  Val top = g.call("max", {x}, {{"axis", last}, {"keepdims", AttrValue(true)}});
  Val e = g.call("exp", {g.call("sub", {x, top})});
  Val total = g.call("sum", {e}, {{"axis", last}, {"keepdims", AttrValue(true)}});
  g.output(g.call("div", {e, total}));
  check(g, 1e-6);
}

TEST(Fused, VarianceWithTail) {
  for (int axis : {0, 1}) {
    GraphMaker g;
    Val x = g.input(DType::kFloat32, {24, 36});
    AttrValue axes = IntList{axis};
    double n = axis == 0 ? 24 : 36;
    Val mean = g.call("mul", {g.call("sum", {x}, {{"axis", axes}, {"keepdims", AttrValue(true)}}),
                              g.number(1 / n)});
    Val d = g.call("sub", {x, mean});
    Val var = g.call("mul", {g.call("sum", {g.call("mul", {d, d})},
                                    {{"axis", axes}, {"keepdims", AttrValue(true)}}),
                             g.number(1 / n)});
    Val scale = g.call("rsqrt", {g.call("add", {var, g.number(1e-5)})});
    g.output(g.call("mul", {d, scale}));
    g.output(mean);
    check(g, 1e-4);
  }
}

TEST(Fused, ZeroSizes) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {0, 4}), y = g.input(DType::kFloat32, {4});
  Val z = g.call("add", {x, y});
  g.output(z);
  g.output(g.call("sum", {z}, {{"axis", AttrValue(IntList{0})}}));
  check(g);
}

TEST(Fused, ViewsBetweenLoops) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {6, 20});
  Val y = g.call("add", {x, g.number(1)});
  Val t = g.try_call("transpose", {y},
                     {{"perm", AttrValue(IntList{1, 0})}, {"axes", AttrValue(IntList{1, 0})}});
  if (!t) GTEST_SKIP();
  Val r = g.call("reshape", {y}, {{"shape", AttrValue(IntList{20, 6})}});
  g.output(g.call("mul", {t, r}));
  check(g);
}

// A random DAG over mixed dtypes and shapes. Errors of the ops themselves are skipped: same text,
// same place.
void random_dag(uint32_t seed) {
  static const char* const kUnary[] = {"neg",         "abs",    "exp",   "tanh", "sigmoid", "relu",
                                       "sqrt",        "square", "floor", "sign", "log",     "sin",
                                       "logical_not", "rsqrt",  "ceil",  "erf",  "isnan",   "cos",
                                       "tan",         "atan",   "sinh",  "cosh", "asinh",   "acos"};
  static const char* const kBinary[] = {
      "add",          "sub",           "mul",         "div",
      "maximum",      "minimum",       "less",        "equal",
      "not_equal",    "greater_equal", "logical_and", "logical_or",
      "floor_divide", "remainder",     "atan2",       "pow"};
  static const DType kSome[] = {DType::kFloat32, DType::kFloat32, DType::kFloat32, DType::kFloat64,
                                DType::kInt32,   DType::kBool,    DType::kFloat16, DType::kBFloat16,
                                DType::kInt64,   DType::kUInt8};
  std::mt19937 rng(seed);
  const Shape space = kShapes[rng() % std::size(kShapes)];
  auto some_shape = [&] {
    Shape s = space;
    for (Dim& d : s)
      if (rng() % 4 == 0) d = 1;
    while (s.rank() > 0 && rng() % 5 == 0) s.erase(0);
    return s;
  };
  GraphMaker g;
  std::vector<Val> pool;
  for (int i = 0; i < 4; ++i)
    pool.push_back(g.input(kSome[rng() % std::size(kSome)], i ? some_shape() : space));
  int steps = 3 + rng() % 25;
  for (int i = 0; i < steps; ++i) {
    auto any = [&] { return rng() % 6 == 0 ? g.number(0.75) : pool[rng() % pool.size()]; };
    Val v;
    switch (rng() % 8) {
      case 0:
      case 1:
      case 2: v = g.try_call(kUnary[rng() % std::size(kUnary)], {any()}); break;
      case 3: v = g.try_call("where", {any(), any(), any()}); break;
      case 4:
        v = g.try_call("cast", {any()}, {{"dtype", AttrValue(kSome[rng() % std::size(kSome)])}});
        break;
      default: v = g.try_call(kBinary[rng() % std::size(kBinary)], {any(), any()});
    }
    if (v) pool.push_back(v);
  }
  g.output(pool.back());
  for (const Val& v : pool)
    if (rng() % 6 == 0) g.output(v);
  check(g, 0, rng() % 2, seed);
}

TEST(Fused, RandomGraphs) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    random_dag(seed);
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace msjit::testing
