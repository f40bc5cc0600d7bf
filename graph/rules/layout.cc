// Rules about shape, order and element type: values are moved, never computed.
#include <algorithm>

#include "graph/rewrite.h"
#include "kernels/core/words.h"

namespace msjit {
namespace {

using namespace words;

// Views that keep the elements in row-major order: only their output shape matters.
bool keeps_order(const Node& node) {
  static constexpr std::string_view kNames[] = {"reshape", "expand_dims", "squeeze", "flatten"};
  return std::find(std::begin(kNames), std::end(kNames), node.op->name) != std::end(kNames);
}

// A chain of such views is one reshape of its source, or the source itself.
Val collapse_reshapes(const Match& m) {
  Val x = m.val(0);
  if (m.meta(m.in(0)) == m.meta()) return x;
  const Node* node = m.maker(m.in(0));
  if (!node || !keeps_order(*node)) return {};
  Val source = m.sink()->value(node->inputs[0]);
  if (m.meta(source.id()) == m.meta()) return source;
  return reshape(source, m.meta().shape);
}

IntList normalised(const IntList& perm) {
  IntList out = perm;
  for (int64_t& p : out)
    if (p < 0) p += perm.size();
  return out;
}

Val transpose_identity(const Match& m) {
  if (m.attr(0).kind() != AttrValue::Kind::kIntList) return {};
  IntList perm = normalised(m.attr(0).as_list());
  for (uint32_t i = 0; i < perm.size(); ++i)
    if (perm[i] != i) return {};
  return m.val(0);
}

Val transpose_twice(const Match& m) {
  const Node* node = m.maker(m.in(0), "transpose");
  if (!node || m.attr(0).kind() != AttrValue::Kind::kIntList ||
      node->attrs[0].kind() != AttrValue::Kind::kIntList)
    return {};
  IntList outer = normalised(m.attr(0).as_list()), inner = normalised(node->attrs[0].as_list());
  IntList both;
  for (int64_t p : outer) both.push_back(inner[p]);
  return transpose(m.sink()->value(node->inputs[0]), std::move(both));
}

Val swapaxes_twice(const Match& m) {
  const Node* node = m.maker(m.in(0), "swapaxes");
  return node && node->attrs == m.attrs() ? m.sink()->value(node->inputs[0]) : Val();
}

Val same_meta(const Match& m) { return m.val(0); }  // the driver checks that metas are equal

Val broadcast_twice(const Match& m) {
  const Node* node = m.maker(m.in(0), "broadcast_to");
  return node ? broadcast_to(m.sink()->value(node->inputs[0]), m.meta().shape) : Val();
}

// A broadcast adds leading axes of size one by itself.
Val broadcast_reshaped(const Match& m) {
  const Node* node = m.maker(m.in(0));
  if (!node || !keeps_order(*node)) return {};
  ValueId source = node->inputs[0];
  const Shape &full = m.meta(m.in(0)).shape, &bare = m.meta(source).shape;
  int lead = full.rank() - bare.rank();
  if (lead <= 0) return {};
  for (int i = 0; i < full.rank(); ++i)
    if (full[i] != (i < lead ? 1 : bare[i - lead])) return {};
  return broadcast_to(m.sink()->value(source), m.meta().shape);
}

// Whether `to` represents every value of `from` exactly.
bool embeds(DType from, DType to) {
  if (from == to || from == DType::kBool) return true;
  if (is_integer(from) && is_integer(to)) {
    bool from_signed = !is_unsigned(from), to_signed = !is_unsigned(to);
    return to_signed &&
           (from_signed ? item_size(to) >= item_size(from) : item_size(to) > item_size(from));
  }
  if (is_float(from) && is_float(to)) return item_size(to) > item_size(from);
  return is_integer(from) && is_float(to) && item_size(from) * 2 <= item_size(to);
}

// cast(cast(x, wide), t) = cast(x, t) when nothing is lost on the way.
Val cast_twice(const Match& m) {
  const Node* node = m.maker(m.in(0), "cast");
  if (!node) return {};
  ValueId source = node->inputs[0];
  DType from = m.meta(source).dtype, middle = m.meta(m.in(0)).dtype;
  if (!embeds(from, middle)) return {};
  if (m.meta(source) == m.meta()) return m.sink()->value(source);
  // A conversion by way of float may round where the direct one wraps.
  if (is_float(middle) != is_float(m.meta().dtype) || is_float(from) != is_float(middle)) return {};
  return cast(m.sink()->value(source), m.meta().dtype);
}

// zeros, ones, full and their _like forms become a broadcast of one number, which needs no memory.
Val fill_is_broadcast(const Match& m) {
  std::string_view name = m.op().name;
  double value = name.starts_with("ones") ? 1 : 0;
  if (name.starts_with("full")) {
    const AttrValue& filler = m.attr(m.op().signature.attr_index("value"));
    value = filler.kind() == AttrValue::Kind::kBool ? filler.as_bool() : filler.as_float();
    if (!(value <= 0x1p53 && value >= -0x1p53)) return {};
  }
  Val number = m.sink()->constant(Tensor::scalar_of(m.meta().dtype, value));
  return m.meta().shape.rank() ? broadcast_to(number, m.meta().shape) : number;
}

// Elementwise ops broadcast by themselves. The driver refuses the answer when the broadcast was
// what gave the result its shape.
Val drop_broadcasts(const Match& m) {
  if (!m.op().has(kElementwise) || m.num_inputs() < 2) return {};
  Vals inputs;
  bool dropped = false;
  for (int i = 0; i < m.num_inputs(); ++i) {
    if (m.in(i) < 0) return {};
    const Node* node = m.maker(m.in(i), "broadcast_to");
    // A weak operand promotes differently, even where the result's dtype is the same.
    if (node && m.meta(node->inputs[0]).weak != m.meta(m.in(i)).weak) node = nullptr;
    inputs.push_back(m.sink()->value(node ? node->inputs[0] : m.in(i)));
    dropped |= node != nullptr;
  }
  if (!dropped) return {};
  // One operand may have to stay broadcast to give the shape; then drop the broadcasts of the
  // others only.
  Val all = call_in(m.sink(), m.op(), inputs, m.attrs());
  if (all && m.sink()->meta(all) == m.meta()) return all;
  for (int keep = 0; keep < m.num_inputs(); ++keep) {
    if (inputs[keep].id() == m.in(keep)) continue;
    Vals partial = inputs;
    partial[keep] = m.val(keep);
    bool same = true;
    for (int i = 0; i < m.num_inputs(); ++i) same &= partial[i].id() == m.in(i);
    if (same) continue;
    Val answer = call_in(m.sink(), m.op(), partial, m.attrs());
    if (answer && m.sink()->meta(answer) == m.meta()) return answer;
  }
  return {};
}

// Whether a node only exchanges the last two axes.
bool swaps_last_two(const Match& m, const Node& node) {
  int rank = m.meta(node.inputs[0]).shape.rank();
  if (rank < 2) return false;
  std::string_view name = node.op->name;
  if (name == "swapaxes") {
    int64_t a = node.attrs[0].as_int(), b = node.attrs[1].as_int();
    a += a < 0 ? rank : 0, b += b < 0 ? rank : 0;
    return a + b == 2 * rank - 3 && std::max(a, b) == rank - 1;
  }
  if (name != "transpose" || node.attrs[0].kind() != AttrValue::Kind::kIntList) return false;
  IntList perm = normalised(node.attrs[0].as_list());
  for (int i = 0; i + 2 < rank; ++i)
    if (perm[i] != i) return false;
  return perm[rank - 1] == rank - 2 && perm[rank - 2] == rank - 1;
}

// matmul has flags for transposed operands. The library may add the terms in another order.
Val matmul_of_transposed(const Match& m) {
  Val operands[2] = {m.val(0), m.val(1)};
  bool flags[2] = {m.attr(0).as_bool(), m.attr(1).as_bool()};
  bool changed = false;
  for (int i = 0; i < 2; ++i) {
    const Node* node = m.maker(m.in(i));
    if (!node || !swaps_last_two(m, *node)) continue;
    operands[i] = m.sink()->value(node->inputs[0]);
    flags[i] = !flags[i];
    changed = true;
  }
  return changed ? matmul(operands[0], operands[1], flags[0], flags[1]) : Val();
}

}  // namespace

std::span<const Rule> layout_rules() {
  static constexpr Rule kRules[] = {
      {"reshape chain", "reshape", collapse_reshapes},
      {"reshape chain", "expand_dims", collapse_reshapes},
      {"reshape chain", "squeeze", collapse_reshapes},
      {"reshape chain", "flatten", collapse_reshapes},
      {"transpose to itself", "transpose", transpose_identity},
      {"transpose twice", "transpose", transpose_twice},
      {"swapaxes twice", "swapaxes", swapaxes_twice},
      {"cast to itself", "cast", same_meta},
      {"cast twice", "cast", cast_twice},
      {"broadcast to itself", "broadcast_to", same_meta},
      {"broadcast twice", "broadcast_to", broadcast_twice},
      {"broadcast of added axes", "broadcast_to", broadcast_reshaped},
      {"one number", "zeros", fill_is_broadcast},
      {"one number", "ones", fill_is_broadcast},
      {"one number", "full", fill_is_broadcast},
      {"one number", "zeros_like", fill_is_broadcast},
      {"one number", "ones_like", fill_is_broadcast},
      {"one number", "full_like", fill_is_broadcast},
      {"implicit broadcast", nullptr, drop_broadcasts},
      {"matmul of transposed", "matmul", matmul_of_transposed},
  };
  return kRules;
}

}  // namespace msjit
