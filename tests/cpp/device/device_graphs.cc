#include "device/device_graphs.h"

#include "codegen/graph_maker.h"

namespace msjit::testing {
namespace {

using Graphs = std::vector<std::shared_ptr<Graph>>;

const DType kAllTypes[] = {DType::kBool,    DType::kUInt8,  DType::kInt8,    DType::kInt16,
                           DType::kInt32,   DType::kInt64,  DType::kFloat16, DType::kBFloat16,
                           DType::kFloat32, DType::kFloat64};

void add_casts(Graphs* graphs) {
  GraphMaker g;
  for (DType from : kAllTypes) {
    Val x = g.input(from, {37});
    for (DType to : kAllTypes) {
      Val y = g.try_call("cast", {x}, {{"dtype", AttrValue(to)}});
      if (y) g.output(g.call("add", {y, y}));
    }
  }
  graphs->push_back(g.graph());
}

void add_maths(Graphs* graphs) {
  static const char* const kUnary[] = {"exp",   "log",  "tanh",  "sin",  "erf",  "rsqrt",
                                       "floor", "ceil", "round", "sign", "atan", "expm1"};
  static const char* const kBinary[] = {"div", "fmod",    "mod",  "floor_div", "maximum",
                                        "pow", "minimum", "less", "logaddexp", "atan2"};
  for (DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64,
                      DType::kInt8, DType::kUInt8, DType::kInt32, DType::kInt64}) {
    GraphMaker g;
    Val x = g.input(dtype, {3, 52}), y = g.input(dtype, {52});
    for (const char* name : kUnary)
      if (Val z = is_float(dtype) ? g.try_call(name, {x}) : Val()) g.output(z);
    for (const char* name : kBinary)
      if (Val z = g.try_call(name, {x, y})) g.output(z);
    graphs->push_back(g.graph());
  }
}

void add_reductions(Graphs* graphs) {
  const Shape shapes[] = {{7, 10}, {5, 3, 260}, {3, 5000}, {70, 130}, {2, 9000}, {300, 5}};
  for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt32})
    for (const Shape& shape : shapes)
      for (int64_t axis : {int64_t{0}, int64_t{-1}}) {
        GraphMaker g;
        Val x = g.input(dtype, shape);
        for (const char* name : {"sum", "max", "prod", "min"})
          if (Val y =
                  g.try_call(name, {g.call("mul", {x, x})}, {{"axis", AttrValue(IntList{axis})}}))
            g.output(y);
        graphs->push_back(g.graph());
      }
}

// Of one value, in chunks and without.
void add_totals(Graphs* graphs) {
  for (const Shape& shape : {Shape{40}, Shape{40000}, Shape{600, 700}}) {
    GraphMaker g;
    Val x = g.input(DType::kFloat32, shape);
    g.output(g.call("mean", {g.call("square", {x})}));
    graphs->push_back(g.graph());
  }
}

void add_stages(Graphs* graphs) {
  for (const Shape& shape : {Shape{9, 10}, Shape{6, 96}, Shape{3, 1500}, Shape{4, 8, 33}})
    for (DType dtype : {DType::kFloat32, DType::kFloat16}) {
      GraphMaker g;
      Val x = g.input(dtype, shape), scale = g.input(dtype, {shape[shape.rank() - 1]});
      g.output(g.call("softmax", {g.call("mul", {x, scale})}));
      if (Val y = g.try_call("layer_norm", {x, scale, scale},
                             {{"epsilon", AttrValue(0.1)}, {"axis", AttrValue(int64_t{-1})}}))
        g.output(g.call("tanh", {y}));
      g.output(g.call("softmax", {x}, {{"axis", AttrValue(int64_t{0})}}));
      graphs->push_back(g.graph());
    }
}

void add_layouts(Graphs* graphs) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {6, 34}), y = g.input(DType::kFloat32, {34, 6});
  Val turned = g.call("transpose", {y}, {{"perm", AttrValue(IntList{1, 0})}});
  g.output(g.call("add", {g.call("tanh", {x}), turned}));
  Val deep = g.input(DType::kFloat32, {4, 1, 5, 36}), plane = g.input(DType::kFloat32, {3, 1, 36});
  g.output(g.call("mul", {g.call("add", {deep, plane}), deep}));
  graphs->push_back(g.graph());
}

}  // namespace

Graphs device_graphs() {
  Graphs graphs;
  add_casts(&graphs);
  add_maths(&graphs);
  add_reductions(&graphs);
  add_totals(&graphs);
  add_stages(&graphs);
  add_layouts(&graphs);
  return graphs;
}

}  // namespace msjit::testing
