#include "kernels/core/words.h"

#include <cmath>

// Declared one by one and weakly, so that a user of the core need not link every op.
#define MSJIT_WORD_OP(name) extern const OpDef op_##name __attribute__((weak));

namespace msjit {
MSJIT_WORD_OP(reshape)
MSJIT_WORD_OP(broadcast_to)
MSJIT_WORD_OP(transpose)
MSJIT_WORD_OP(expand_dims)
MSJIT_WORD_OP(squeeze)
MSJIT_WORD_OP(slice)
MSJIT_WORD_OP(concat)
MSJIT_WORD_OP(matmul)
MSJIT_WORD_OP(stop_gradient)
#define MSJIT_CORE_OP(name) extern const OpDef op_##name __attribute__((weak));
MSJIT_CORE_OP(add)
MSJIT_CORE_OP(sub)
MSJIT_CORE_OP(mul)
MSJIT_CORE_OP(div)
MSJIT_CORE_OP(pow)
MSJIT_CORE_OP(maximum)
MSJIT_CORE_OP(minimum)
MSJIT_CORE_OP(less)
MSJIT_CORE_OP(less_equal)
MSJIT_CORE_OP(greater)
MSJIT_CORE_OP(greater_equal)
MSJIT_CORE_OP(equal)
MSJIT_CORE_OP(not_equal)
MSJIT_CORE_OP(where)
MSJIT_CORE_OP(neg)
MSJIT_CORE_OP(exp)
MSJIT_CORE_OP(log)
MSJIT_CORE_OP(sqrt)
MSJIT_CORE_OP(rsqrt)
MSJIT_CORE_OP(sin)
MSJIT_CORE_OP(cos)
MSJIT_CORE_OP(tanh)
MSJIT_CORE_OP(sigmoid)
MSJIT_CORE_OP(abs)
MSJIT_CORE_OP(sign)
MSJIT_CORE_OP(square)
MSJIT_CORE_OP(sum)
MSJIT_CORE_OP(mean)
MSJIT_CORE_OP(prod)
MSJIT_CORE_OP(max)
MSJIT_CORE_OP(sum_to)
MSJIT_CORE_OP(cast)
MSJIT_CORE_OP(zeros_like)
MSJIT_CORE_OP(ones_like)
MSJIT_CORE_OP(full_like)
MSJIT_CORE_OP(conj)
MSJIT_CORE_OP(real)
MSJIT_CORE_OP(imag)
}  // namespace msjit

namespace msjit::words {
namespace {

AttrValue list_of(const Shape& shape) { return IntList(std::span<const int64_t>(shape)); }

Val lift(OpSink* sink, const Operand& operand, DType partner) {
  return operand.val.sink() ? operand.val : number(sink, operand.number, partner);
}

Val reduce(const OpDef& op, const Val& x, AttrValue axes, bool keepdims) {
  return call(op, {x}, {std::move(axes), keepdims});
}

}  // namespace

// Made at full width: the constant is weak, so it never widens its partner, and float64 loses no
// digits. Next to an integer operand a whole number stays an integer.
Val number(OpSink* sink, double value, DType dtype) {
  bool whole = !is_inexact(dtype) && value == std::trunc(value) && std::abs(value) < 9e15;
  if (whole) return sink->constant(Tensor::scalar<int64_t>(static_cast<int64_t>(value), true));
  return sink->constant(Tensor::scalar<double>(value, true));
}

Val zeros(OpSink* sink, const Meta& meta) {
  const Val zero = sink->constant(Tensor::scalar_of(meta.dtype, 0));
  return meta.shape.rank() > 0 ? broadcast_to(zero, meta.shape) : zero;
}

Val binary(const OpDef& op, const Operand& a, const Operand& b) {
  OpSink* sink = a.val.sink() ? a.val.sink() : b.val.sink();
  if (!sink) return Val();
  DType partner = a.val.sink() ? a.val.dtype() : b.val.dtype();
  return call(op, {lift(sink, a, partner), lift(sink, b, partner)});
}

#define MSJIT_BINARY_WORD(name) \
  Val name(const Operand& a, const Operand& b) { return binary(op_##name, a, b); }
#define MSJIT_UNARY_WORD(name) \
  Val name(const Val& x) { return call(op_##name, {x}); }
#define MSJIT_REDUCE_WORD(name)                             \
  Val name(const Val& x, AttrValue axes, bool keepdims) {   \
    return reduce(op_##name, x, std::move(axes), keepdims); \
  }

MSJIT_BINARY_WORD(add)
MSJIT_BINARY_WORD(sub)
MSJIT_BINARY_WORD(mul)
MSJIT_BINARY_WORD(div)
MSJIT_BINARY_WORD(pow)
MSJIT_BINARY_WORD(maximum)
MSJIT_BINARY_WORD(minimum)
MSJIT_BINARY_WORD(less)
MSJIT_BINARY_WORD(less_equal)
MSJIT_BINARY_WORD(greater)
MSJIT_BINARY_WORD(greater_equal)
MSJIT_BINARY_WORD(equal)
MSJIT_BINARY_WORD(not_equal)
MSJIT_UNARY_WORD(neg)
MSJIT_UNARY_WORD(exp)
MSJIT_UNARY_WORD(log)
MSJIT_UNARY_WORD(sqrt)
MSJIT_UNARY_WORD(rsqrt)
MSJIT_UNARY_WORD(sin)
MSJIT_UNARY_WORD(cos)
MSJIT_UNARY_WORD(tanh)
MSJIT_UNARY_WORD(sigmoid)
MSJIT_UNARY_WORD(abs)
MSJIT_UNARY_WORD(sign)
MSJIT_UNARY_WORD(square)
MSJIT_UNARY_WORD(real)
MSJIT_UNARY_WORD(imag)
MSJIT_UNARY_WORD(zeros_like)
MSJIT_UNARY_WORD(ones_like)
MSJIT_UNARY_WORD(stop_gradient)
MSJIT_REDUCE_WORD(sum)
MSJIT_REDUCE_WORD(mean)
MSJIT_REDUCE_WORD(prod)
MSJIT_REDUCE_WORD(max)

Val where(const Val& condition, const Operand& a, const Operand& b) {
  OpSink* sink = condition.sink();
  DType partner = a.val.sink() ? a.val.dtype() : b.val.sink() ? b.val.dtype() : DType::kFloat32;
  return call(op_where, {condition, lift(sink, a, partner), lift(sink, b, partner)});
}

Val sum_to(const Val& x, const Shape& shape) { return call(op_sum_to, {x}, {list_of(shape)}); }
Val cast(const Val& x, DType dtype) {
  return x.dtype() == dtype && !x.meta().weak ? x : call(op_cast, {x}, {dtype});
}
Val wide(const Val& x) {
  const bool narrow = x.dtype() == DType::kFloat16 || x.dtype() == DType::kBFloat16;
  return narrow ? cast(x, DType::kFloat32) : x;
}
Val reshape(const Val& x, const Shape& shape) {
  return x.shape() == shape ? x : call(op_reshape, {x}, {list_of(shape)});
}
Val broadcast_to(const Val& x, const Shape& shape) {
  return x.shape() == shape ? x : call(op_broadcast_to, {x}, {list_of(shape)});
}
Val transpose(const Val& x, IntList perm) { return call(op_transpose, {x}, {std::move(perm)}); }

Val swap_last_two(const Val& x) {
  IntList perm;
  for (int i = 0; i < x.rank(); ++i) perm.push_back(i);
  if (perm.size() >= 2) std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return transpose(x, std::move(perm));
}

Val expand_dims(const Val& x, int64_t axis) { return call(op_expand_dims, {x}, {axis}); }
Val squeeze(const Val& x, IntList axes) { return call(op_squeeze, {x}, {std::move(axes)}); }
Val slice(const Val& x, IntList begin, IntList end, IntList step) {
  return call(op_slice, {x}, {std::move(begin), std::move(end), std::move(step)});
}
Val concat(OpSink* sink, std::span<const Val> parts, int64_t axis) {
  return call_in(sink, op_concat, parts, {axis});
}
Val matmul(const Val& a, const Val& b, bool transpose_a, bool transpose_b) {
  return call(op_matmul, {a, b}, {transpose_a, transpose_b});
}
Val conj(const Val& x) { return x && is_complex(x.dtype()) ? call(op_conj, {x}) : x; }
Val full_like(const Val& x, double value) { return call(op_full_like, {x}, {value}); }

}  // namespace msjit::words
