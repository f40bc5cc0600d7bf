// Rules that turn a matrix product and what follows it into one library call.
#include "graph/rewrite.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

Val apply(const Match& m, const char* name, std::span<const Val> inputs, const Attrs& attrs = {}) {
  const OpDef* op = find_op(name);
  return op ? call_in(m.sink(), *op, inputs, attrs) : Val();
}

bool fits_linear(const Match& m, const Node& product) {
  return !product.attrs[0].as_bool() && product.attrs[1].as_bool() &&
         m.meta(product.inputs[0]).shape.rank() >= 2 && m.meta(product.inputs[1]).shape.rank() == 2;
}

// matmul(x, w, transpose_b) + bias, the bias a vector over the last axis.
Val add_bias(const Match& m) {
  for (int i = 0; i < 2; ++i) {
    ValueId product_id = m.in(i), bias = m.in(1 - i);
    const Node* product = m.maker(product_id, "matmul");
    bool linear = !product;
    if (linear) product = m.maker(product_id, "linear");
    if (!product || !m.used_once(product_id)) continue;
    if (linear ? product->inputs[2] >= 0 : !fits_linear(m, *product)) continue;
    const Meta &bias_meta = m.meta(bias), &weight = m.meta(product->inputs[1]);
    if (bias_meta.shape.rank() != 1 || bias_meta.shape[0] != weight.shape[0] ||
        bias_meta.dtype != weight.dtype || bias_meta.weak || is_complex(weight.dtype))
      continue;
    GraphSink* sink = m.sink();
    Val inputs[] = {sink->value(product->inputs[0]), sink->value(product->inputs[1]),
                    sink->value(bias)};
    return apply(m, "linear", inputs);
  }
  return {};
}

Val relu_of_linear(const Match& m) {
  const Node* linear = m.maker(m.in(0), "linear");
  if (!linear || !m.used_once(m.in(0)) || m.meta().dtype != DType::kFloat32) return {};
  if (!m.meta().device.is_host()) return {};  // a device fuses it with what follows
  Vals inputs;
  for (ValueId id : linear->inputs) inputs.push_back(id < 0 ? Val() : m.sink()->value(id));
  return apply(m, "linear_act", inputs, {AttrValue("relu")});
}

}  // namespace

std::span<const Rule> linear_rules() {
  static constexpr Rule kRules[] = {
      {"matmul + bias", "add", add_bias},
      {"relu of linear", "relu", relu_of_linear},
  };
  return kRules;
}

}  // namespace msjit
