// Operators on Syms, each recording one node (see scalar_program.h). They mirror Num's
// (scalar_num.h) one to one.
#pragma once

#include <type_traits>

#include "kernels/core/scalar_program.h"

namespace msjit {

namespace scalar_detail {

template <class N>
inline Sym sym_of(Sym like, N n) {
  if constexpr (std::is_floating_point_v<N>) {
    return like.builder()->constant(n, like.dtype());
  } else {
    return like.builder()->constant_int(n, like.dtype());
  }
}

inline Sym emit(ScalarOp op, Sym a, Sym b) { return a.builder()->emit(op, a.dtype(), a, b); }
inline Sym emit_compare(ScalarOp op, Sym a, Sym b) {
  return a.builder()->emit(op, DType::kBool, a, b);
}

// On bool, + is or, * is and, - is xor, as in Num<bool>.
inline Sym emit_arith(ScalarOp op, ScalarOp on_bool, Sym a, Sym b) {
  return emit(a.dtype() == DType::kBool ? on_bool : op, a, b);
}

}  // namespace scalar_detail

#define MSJIT_SYM_BINARY(symbol, expression)                                              \
  inline Sym operator symbol(Sym a, Sym b) { return scalar_detail::expression; }          \
  template <class N>                                                                      \
  requires std::is_arithmetic_v<N>                                                        \
  inline Sym operator symbol(Sym a, N b) { return a symbol scalar_detail::sym_of(a, b); } \
  template <class N>                                                                      \
  requires std::is_arithmetic_v<N>                                                        \
  inline Sym operator symbol(N a, Sym b) { return scalar_detail::sym_of(b, a) symbol b; }
MSJIT_SYM_BINARY(+, emit_arith(ScalarOp::kAdd, ScalarOp::kOr, a, b))
MSJIT_SYM_BINARY(-, emit_arith(ScalarOp::kSub, ScalarOp::kXor, a, b))
MSJIT_SYM_BINARY(*, emit_arith(ScalarOp::kMul, ScalarOp::kAnd, a, b))
MSJIT_SYM_BINARY(/, emit_arith(ScalarOp::kDiv, ScalarOp::kAnd, a, b))
MSJIT_SYM_BINARY(<, emit_compare(ScalarOp::kLt, a, b))
MSJIT_SYM_BINARY(<=, emit_compare(ScalarOp::kLe, a, b))
MSJIT_SYM_BINARY(>, emit_compare(ScalarOp::kLt, b, a))
MSJIT_SYM_BINARY(>=, emit_compare(ScalarOp::kLe, b, a))
MSJIT_SYM_BINARY(==, emit_compare(ScalarOp::kEq, a, b))
MSJIT_SYM_BINARY(!=, emit_compare(ScalarOp::kNe, a, b))
MSJIT_SYM_BINARY(&, emit(ScalarOp::kAnd, a, b))
MSJIT_SYM_BINARY(|, emit(ScalarOp::kOr, a, b))
MSJIT_SYM_BINARY(^, emit(ScalarOp::kXor, a, b))
#undef MSJIT_SYM_BINARY

inline Sym operator-(Sym a) {
  return a.dtype() == DType::kBool ? a : a.builder()->emit(ScalarOp::kNeg, a.dtype(), a);
}
inline Sym operator~(Sym a) { return a.builder()->emit(ScalarOp::kNot, a.dtype(), a); }

}  // namespace msjit
