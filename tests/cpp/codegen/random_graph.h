// Random programs over every kind of operator, for the fuzzers of compiled graphs and of kernels.
#pragma once

#include <algorithm>

#include "codegen/graph_maker.h"

namespace msjit::testing {

// A random graph. The seed determines its operators, `sizes` only its sizes.
class RandomGraph {
 public:
  RandomGraph(uint32_t seed, std::span<const Dim> sizes) : rng_(seed), sizes_(sizes) {
    add_inputs();
    for (int i = 0, count = 2 + pick(14); i < count; ++i) add_op();
    add_outputs();
  }
  const std::shared_ptr<Graph>& graph() const { return maker_.graph(); }

 private:
  // `exact`: every way to compute it gives the same bits, so that operators with steps (floor,
  // sign, comparisons) may use it. `shape` holds indices of sizes.
  struct Value {
    Val val;
    std::vector<int> shape;
    bool exact;
  };

  int pick(int count) { return static_cast<int>(rng_() % static_cast<uint32_t>(count)); }
  Shape shape_of(const std::vector<int>& dims) const {
    Shape shape;
    for (int d : dims) shape.push_back(d < 0 ? 1 : sizes_[d]);
    return shape;
  }
  const Value& any() { return values_[pick(static_cast<int>(values_.size()))]; }
  void add(Val val, std::vector<int> shape, bool exact) {
    if (val) values_.push_back({std::move(val), std::move(shape), exact});
  }
  // Keeps values small, and with them the errors.
  Val tamed(const Val& v) { return maker_.call("tanh", {v}); }
  Val list(const char* name, const Val& v, const char* attr, IntList items, bool keepdims = false) {
    return maker_.try_call(
        name, {v}, {{attr, AttrValue(std::move(items))}, {"keepdims", AttrValue(keepdims)}});
  }

  void add_inputs() {
    for (int i = 0, count = 1 + pick(4); i < count; ++i) {
      std::vector<int> shape;
      for (int d = 0, rank = pick(4); d < rank; ++d)
        shape.push_back(pick(6) ? pick(static_cast<int>(sizes_.size())) : -1);
      add(maker_.input(DType::kFloat32, shape_of(shape)), shape, true);
    }
  }

  void add_op() {
    switch (pick(13)) {
      case 0:
      case 1: return unary();
      case 2:
      case 3:
      case 4: return binary();
      case 5: return reduction();
      case 6: return rows();
      case 7: return transposed();
      case 8: return product();
      case 9: return choice();
      case 10: return joined();
      case 11: return sliced();
      case 12: return reshaped();
    }
  }

  void unary() {
    static const char* const smooth[] = {"tanh",     "sin",           "sigmoid", "square",
                                         "neg",      "gelu",          "cos",     "silu",
                                         "softplus", "stop_gradient", "erf",     "identity"};
    static const char* const steps[] = {"relu", "abs", "floor", "sign", "relu6", "round"};
    const Value x = any();
    const bool step = x.exact && pick(3) == 0;
    const char* const name = step ? steps[pick(6)] : smooth[pick(12)];
    Val y = maker_.call(name, {x.val});
    if (!std::strcmp(name, "square")) y = tamed(y);
    add(y, x.shape, x.exact);
  }

  // Two values whose shapes broadcast: the second shape is the end of the first, with some ones.
  void binary() {
    static const char* const smooth[] = {"add", "sub", "mul"};
    const Value x = any(), y = any();
    if (x.shape.size() < y.shape.size()) return;
    const size_t skip = x.shape.size() - y.shape.size();
    for (size_t i = 0; i < y.shape.size(); ++i)
      if (y.shape[i] >= 0 && x.shape[skip + i] != y.shape[i]) return;
    const bool exact = x.exact && y.exact;
    const char* name = smooth[pick(3)];
    if (exact && pick(4) == 0) name = pick(2) ? "maximum" : "minimum";
    const std::vector<Val> both =
        pick(2) ? std::vector<Val>{x.val, y.val} : std::vector<Val>{y.val, x.val};
    Val z = maker_.call(name, both);
    add(pick(3) ? z : tamed(z), x.shape, exact);
  }

  void reduction() {
    const Value x = any();
    if (x.shape.empty()) return;
    static const char* const names[] = {"sum", "mean", "max", "min"};
    const int which = pick(x.exact ? 4 : 2);
    IntList axes;
    std::vector<int> kept;
    const bool keepdims = pick(2);
    for (size_t d = 0; d < x.shape.size(); ++d) {
      const bool folded = pick(2);
      if (folded) axes.push_back(static_cast<int64_t>(d));
      if (!folded || keepdims) kept.push_back(folded ? -1 : x.shape[d]);
    }
    if (axes.empty()) return;
    add(list(names[which], x.val, "axis", axes, keepdims), kept, which >= 2 && x.exact);
  }

  // Softmax and what else works along the last dim.
  void rows() {
    const Value x = any();
    if (x.shape.empty()) return;
    if (pick(3) == 0) {
      const std::vector<int> shape = {x.shape.back()};
      const Val scale = maker_.input(DType::kFloat32, shape_of(shape));
      add(maker_.try_call("layer_norm", {x.val, scale, scale},
                          {{"epsilon", AttrValue(0.1)}, {"axis", AttrValue(int64_t{-1})}}),
          x.shape, false);
      return;
    }
    add(maker_.call(pick(2) ? "softmax" : "log_softmax", {x.val}), x.shape, false);
  }

  void transposed() {
    const Value x = any();
    if (x.shape.size() < 2) return;
    std::vector<int64_t> order(x.shape.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    std::shuffle(order.begin(), order.end(), rng_);
    IntList perm;
    std::vector<int> shape;
    for (int64_t d : order) {
      perm.push_back(d);
      shape.push_back(x.shape[d]);
    }
    add(maker_.try_call("transpose", {x.val}, {{"perm", AttrValue(perm)}}), shape, x.exact);
  }

  void product() {
    const Value x = any(), y = any();
    if (x.shape.size() < 2 || y.shape.size() != 2) return;
    const bool turned = pick(2);
    if (x.shape.back() != y.shape[turned ? 1 : 0]) return;
    std::vector<int> shape = x.shape;
    shape.back() = y.shape[turned ? 0 : 1];
    add(tamed(maker_.call("matmul", {x.val, y.val}, {{"transpose_b", AttrValue(turned)}})), shape,
        false);
  }

  void choice() {
    const Value x = any(), y = any();
    if (x.shape != y.shape || !x.exact || !y.exact) return;
    const Val test = maker_.call(pick(2) ? "less" : "greater_equal", {x.val, y.val});
    const Value z = any();
    const bool fits = z.shape == x.shape;
    add(maker_.call("where", {test, fits ? z.val : x.val, y.val}), x.shape, fits ? z.exact : true);
  }

  void joined() {
    const Value x = any(), y = any();
    if (x.shape != y.shape || x.shape.empty()) return;
    const Val both = maker_.try_call("stack", {x.val, y.val}, {{"axis", AttrValue(int64_t{0})}});
    if (both) add(list("sum", both, "axis", IntList{0}), x.shape, false);
  }

  void sliced() {
    const Value x = any();
    if (x.shape.empty() || x.shape[0] < 0) return;
    std::vector<int> shape = x.shape;
    shape[0] = -1;
    IntList begin, end, step;
    for (Dim d : x.val.shape()) {
      begin.push_back(0);
      end.push_back(d);
      step.push_back(1);
    }
    begin[0] = pick(2);
    end[0] = begin[0] + 1;
    add(maker_.call(
            "slice", {x.val},
            {{"begin", AttrValue(begin)}, {"end", AttrValue(end)}, {"step", AttrValue(step)}}),
        shape, x.exact);
  }

  void reshaped() {
    const Value x = any();
    if (x.shape.empty()) return;
    Val flat = maker_.try_call("reshape", {x.val}, {{"shape", AttrValue(IntList{-1})}});
    if (!flat) return;
    const Val again =
        maker_.call("reshape", {tamed(flat)},
                    {{"shape", AttrValue(IntList(std::span<const int64_t>(shape_of(x.shape))))}});
    add(again, x.shape, x.exact);
  }

  void add_outputs() {
    for (int i = 0, count = 1 + pick(3); i < count; ++i) maker_.output(any().val);
    for (size_t i = 0; i < maker_.graph()->inputs.size(); ++i) {
      if (pick(3)) continue;
      const Value& value = any();
      if (!(value.val.shape() == maker_.graph()->meta(maker_.graph()->inputs[i]).shape)) continue;
      const auto output = static_cast<int32_t>(maker_.graph()->outputs.size());
      maker_.output(maker_.call("add", {value.val, maker_.number(0.5)}));
      maker_.graph()->overwrites.push_back({output, static_cast<int32_t>(i)});
    }
    maker_.graph()->writes_early = pick(2);
  }

  std::mt19937 rng_;
  std::span<const Dim> sizes_;
  GraphMaker maker_;
  std::vector<Value> values_;
};

}  // namespace msjit::testing
