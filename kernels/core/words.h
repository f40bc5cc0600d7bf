// Words: the operators and named functions over Vals in which composites and gradient rules are
// written. Each word is one call of the op of that name. So it runs in the sink of its operands and
// is differentiable. A plain number becomes a weak scalar constant of the operand's sink.
#pragma once

#include "kernels/core/op.h"

namespace msjit::words {

// A number or a Val; numbers take the sink of the other operand.
struct Operand {
  Val val;
  double number = 0;
  Operand(Val v) : val(std::move(v)) {}
  Operand(double v) : number(v) {}
  Operand(float v) : number(v) {}
  Operand(int v) : number(v) {}
};
Val binary(const OpDef& op, const Operand& a, const Operand& b);
Val number(OpSink* sink, double value, DType dtype);  // weak 0-d constant
Val zeros(OpSink* sink, const Meta& meta);            // of its shape and dtype

Val add(const Operand& a, const Operand& b);
Val sub(const Operand& a, const Operand& b);
Val mul(const Operand& a, const Operand& b);
Val div(const Operand& a, const Operand& b);
Val pow(const Operand& a, const Operand& b);
Val maximum(const Operand& a, const Operand& b);
Val minimum(const Operand& a, const Operand& b);
Val less(const Operand& a, const Operand& b);
Val less_equal(const Operand& a, const Operand& b);
Val greater(const Operand& a, const Operand& b);
Val greater_equal(const Operand& a, const Operand& b);
Val equal(const Operand& a, const Operand& b);
Val not_equal(const Operand& a, const Operand& b);
Val where(const Val& condition, const Operand& a, const Operand& b);
Val neg(const Val& x);
Val exp(const Val& x);
Val log(const Val& x);
Val sqrt(const Val& x);
Val rsqrt(const Val& x);
Val sin(const Val& x);
Val cos(const Val& x);
Val tanh(const Val& x);
Val sigmoid(const Val& x);
Val abs(const Val& x);
Val sign(const Val& x);
Val square(const Val& x);

// axes: none AttrValue = all.
Val sum(const Val& x, AttrValue axes = {}, bool keepdims = false);
Val mean(const Val& x, AttrValue axes = {}, bool keepdims = false);
Val prod(const Val& x, AttrValue axes = {}, bool keepdims = false);
Val max(const Val& x, AttrValue axes = {}, bool keepdims = false);
Val sum_to(const Val& x, const Shape& shape);  // undoes broadcasting
Val cast(const Val& x, DType dtype);
Val wide(const Val& x);  // 16-bit floats as float32
Val reshape(const Val& x, const Shape& shape);
Val broadcast_to(const Val& x, const Shape& shape);
Val transpose(const Val& x, IntList perm);
Val swap_last_two(const Val& x);
Val expand_dims(const Val& x, int64_t axis);
Val squeeze(const Val& x, IntList axes);
Val slice(const Val& x, IntList begin, IntList end, IntList step);
Val concat(OpSink* sink, std::span<const Val> parts, int64_t axis);
Val matmul(const Val& a, const Val& b, bool transpose_a = false, bool transpose_b = false);
Val zeros_like(const Val& x);
Val ones_like(const Val& x);
Val full_like(const Val& x, double value);
Val stop_gradient(const Val& x);
Val conj(const Val& x);  // a real x is returned as it is
Val real(const Val& x);
Val imag(const Val& x);

inline Val operator+(const Operand& a, const Operand& b) { return add(a, b); }
inline Val operator-(const Operand& a, const Operand& b) { return sub(a, b); }
inline Val operator*(const Operand& a, const Operand& b) { return mul(a, b); }
inline Val operator/(const Operand& a, const Operand& b) { return div(a, b); }
inline Val operator-(const Val& a) { return neg(a); }

}  // namespace msjit::words
