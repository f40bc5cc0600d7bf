// Fused kernels of several stages: reductions along rows or columns whose results are used along
// the same rows or columns again.
#include "codegen/graph_maker.h"

namespace msjit::testing {
namespace {

constexpr double kTolerance = 2e-5;

Val folded(GraphMaker& g, const char* op, const Val& x, const IntList& axes, bool keep = true) {
  return g.call(op, {x}, {{"axis", AttrValue(axes)}, {"keepdims", AttrValue(keep)}});
}

int kernels_of(const GraphMaker& g) {
  return Executable::compile(*g.graph()).take()->num_kernels();
}

// Softmax and normalisation over `axes`, as programs write them.
void add_softmax(GraphMaker& g, const Val& x, const IntList& axes) {
  Val e = g.call("exp", {g.call("sub", {x, folded(g, "max", x, axes)})});
  g.output(g.call("div", {e, folded(g, "sum", e, axes)}));
}
void add_norm(GraphMaker& g, const Val& x, const IntList& axes, double count) {
  Val mean = g.call("mul", {folded(g, "sum", x, axes), g.number(1 / count)});
  Val centred = g.call("sub", {x, mean});
  Val squares = folded(g, "sum", g.call("mul", {centred, centred}), axes);
  Val spread = g.call("add", {g.call("mul", {squares, g.number(1 / count)}), g.number(1e-5)});
  g.output(g.call("mul", {centred, g.call("rsqrt", {spread})}));
}

TEST(Stages, SoftmaxAndNormOverEveryAxisSet) {
  for (const Shape& shape : {Shape{40}, Shape{3, 70}, Shape{70, 3}, Shape{64, 64}, Shape{5, 6, 7},
                             Shape{2, 33, 1, 20}, Shape{1, 5}, Shape{200, 17}})
    for (uint32_t mask = 1; mask < (1u << shape.rank()); ++mask) {
      IntList axes;
      double count = 1;
      for (int i = 0; i < shape.rank(); ++i)
        if ((mask >> i) & 1) axes.push_back(i), count *= static_cast<double>(shape[i]);
      for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16}) {
        GraphMaker g;
        Val x = g.input(dtype, shape);
        add_softmax(g, x, axes);
        add_norm(g, x, axes, count);
        check(g, dtype == DType::kFloat16 ? 4e-3 : kTolerance);
      }
    }
}

TEST(Stages, OneKernelEach) {
  GraphMaker soft, norm, library;
  add_softmax(soft, soft.input(DType::kFloat32, {64, 100}), {-1});
  EXPECT_EQ(kernels_of(soft), 1);
  add_norm(norm, norm.input(DType::kFloat32, {64, 100}), {1}, 100);
  EXPECT_EQ(kernels_of(norm), 1);
  Val x = library.input(DType::kFloat32, {64, 100}), w = library.input(DType::kFloat32, {100});
  Val y = library.call("layer_norm", {library.call("add", {x, w}), w, w});
  library.output(library.call("mul", {library.call("softmax", {y}), x}));
  EXPECT_EQ(kernels_of(library), 1);
  check(library, kTolerance);
}

// NaN and infinities in every place of a row that is reduced.
TEST(Stages, SpecialValues) {
  for (const char* op : {"softmax", "log_softmax"}) {
    GraphMaker g;
    Val x = g.input(DType::kFloat32, {50, 19});
    g.output(g.call(op, {x}));
    for (uint32_t seed = 0; seed < 8; ++seed) check(g, kTolerance, true, seed);
  }
}

// Values of the first stage that are expensive to compute are kept for later stages, in memory that
// an output of the last stage uses.
TEST(Stages, DearValuesAreKept) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {30, 57});
  Val dear = g.call("tanh", {g.call("exp", {x})}), other = g.call("exp", {dear});
  Val total = folded(g, "sum", g.call("mul", {dear, other}), {1});
  Val scaled = g.call("div", {dear, total});
  Val again = folded(g, "max", g.call("mul", {scaled, other}), {1});
  g.output(other);  // later stages read it from the output
  g.output(g.call("add", {g.call("mul", {scaled, again}), dear}));
  g.output(again);
  EXPECT_EQ(kernels_of(g), 1);
  check(g, kTolerance);
}

// A row that is too long to stay in the caches is reduced by a separate kernel.
TEST(Stages, LongRowsAreNot) {
  GraphMaker g;
  add_softmax(g, g.input(DType::kFloat32, {2, 100000}), {1});
  EXPECT_EQ(kernels_of(g), 3);
  check(g, kTolerance);
}

// Random programs over one space: elementwise steps, folds over the same axes, and steps that mix
// full values with folded ones.
TEST(Stages, RandomPrograms) {
  const Shape kSpaces[] = {{6, 35}, {35, 6}, {4, 5, 18}, {3, 64}, {130, 16}};
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 rng(seed);
    const Shape& space = kSpaces[rng() % std::size(kSpaces)];
    const uint32_t mask = 1 + rng() % ((1u << space.rank()) - 1);
    IntList axes;
    for (int i = 0; i < space.rank(); ++i)
      if ((mask >> i) & 1) axes.push_back(i);
    GraphMaker g;
    std::vector<Val> full = {g.input(DType::kFloat32, space), g.input(DType::kFloat32, space)};
    std::vector<Val> kept;
    const auto any = [&](std::vector<Val>& of) { return of[rng() % of.size()]; };
    for (int step = 0; step < 12; ++step) {
      const uint32_t kind = rng() % 6;
      if (kind == 0)
        kept.push_back(folded(g, rng() % 2 ? "sum" : "max", any(full), axes));
      else if (kind == 1 && !kept.empty())
        kept.push_back(g.call("tanh", {any(kept)}));
      else if (kind <= 3 && !kept.empty())
        full.push_back(g.call("tanh", {g.call("mul", {any(full), any(kept)})}));
      else
        full.push_back(g.call(rng() % 2 ? "maximum" : "sub", {any(full), any(full)}));
      if (rng() % 4 == 0) g.output(full.back());
      if (rng() % 4 == 0 && !kept.empty()) g.output(kept.back());
    }
    g.output(full.back());
    SCOPED_TRACE(seed);
    check(g, 2e-4, false, seed);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace msjit::testing
