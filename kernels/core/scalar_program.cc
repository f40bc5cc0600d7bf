#include "kernels/core/scalar_program.h"

#include <algorithm>
#include <bit>

#include "kernels/core/scalar_math.h"

namespace msjit {
size_t ScalarBuilder::place_of(const ScalarNode& node) const {
  size_t hash = 0;
  const auto mix = [&](uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 32;
  };
  mix(static_cast<uint64_t>(node.op) << 8 | static_cast<uint64_t>(node.dtype));
  mix(static_cast<uint64_t>(static_cast<uint32_t>(node.a)) << 32 | static_cast<uint32_t>(node.b));
  mix(static_cast<uint32_t>(node.c));
  mix(std::bit_cast<uint64_t>(node.imm_float) ^ static_cast<uint64_t>(node.imm_int));
  const size_t mask = table_.size() - 1;
  size_t at = hash & mask;
  while (table_[at] >= 0 && !(program_.nodes[table_[at]] == node)) at = (at + 1) & mask;
  return at;
}

Sym ScalarBuilder::append(ScalarNode node) {
  auto& nodes = program_.nodes;
  if (2 * (nodes.size() + 1) > table_.size()) {
    table_.assign(std::max<size_t>(64, 2 * table_.size()), -1);
    for (size_t i = 0; i < nodes.size(); ++i) table_[place_of(nodes[i])] = static_cast<int32_t>(i);
  }
  int32_t& known = table_[place_of(node)];
  if (known < 0) {
    known = static_cast<int32_t>(nodes.size());
    nodes.push_back(node);
  }
  return Sym(this, known, node.dtype);
}

Sym ScalarBuilder::input(int32_t index, DType dtype) {
  ScalarNode node{ScalarOp::kInput, dtype};
  node.a = index;
  return append(node);
}

Sym ScalarBuilder::constant(double value, DType dtype) {
  if (!is_float(dtype)) {
    int64_t whole = dispatch_dtype(dtype, [&](auto tag) {
      return static_cast<int64_t>(convert_value<typename decltype(tag)::type>(value));
    });
    return constant_int(whole, dtype);
  }
  ScalarNode node{ScalarOp::kConst, dtype};
  node.imm_float =
      dtype == DType::kFloat64 ? value : static_cast<double>(static_cast<float>(value));
  return append(node);
}

Sym ScalarBuilder::constant_int(int64_t value, DType dtype) {
  if (is_float(dtype)) return constant(static_cast<double>(value), dtype);
  ScalarNode node{ScalarOp::kConst, dtype};
  // Wrapped to the range of the dtype, so that equal constants become one node.
  switch (dtype) {
    case DType::kBool: node.imm_int = value != 0; break;
    case DType::kUInt8: node.imm_int = static_cast<uint8_t>(value); break;
    case DType::kInt8: node.imm_int = static_cast<int8_t>(value); break;
    case DType::kInt16: node.imm_int = static_cast<int16_t>(value); break;
    case DType::kInt32: node.imm_int = static_cast<int32_t>(value); break;
    case DType::kUInt16: node.imm_int = static_cast<uint16_t>(value); break;
    case DType::kUInt32: node.imm_int = static_cast<uint32_t>(value); break;
    default: node.imm_int = value;
  }
  return append(node);
}

Sym ScalarBuilder::emit(ScalarOp op, DType dtype, Sym a, Sym b, Sym c) {
  return append(ScalarNode{op, dtype, a.id(), b.id(), c.id()});
}

Sym SymMath::attr(int i) const {
  const AttrValue& a = (*attrs_)[i];
  return a.kind() == AttrValue::Kind::kFloat ? builder_->constant(a.as_float(), dtype_)
                                             : builder_->constant_int(a.as_int(), dtype_);
}

// Square and multiply over every bit of the exponent: branch-free, and exact modulo 2^bits.
Sym SymMath::int_power(Sym base, Sym exponent) {
  int bits = static_cast<int>(item_size(base.dtype())) * 8;
  if (is_bool(base)) bits = 1;
  Sym result = constant_int(base, 1);
  for (int i = 0; i < bits; ++i) {
    Sym bit = is_bool(base) ? exponent : shr(exponent, i) & constant_int(base, 1);
    result = select(bit != constant_int(base, 0), result * base, result);
    if (i + 1 < bits) base = base * base;
  }
  return result;
}

}  // namespace msjit
