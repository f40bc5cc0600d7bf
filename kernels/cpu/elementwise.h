// Eager kernels of elementwise ops, made from the op's scalar lambda (OpBuilder::scalar).
// Per compute dtype one inner loop is instantiated, which knows operands of stride 1 or 0 only; the
// driver (elementwise.cc) supplies such operands for every layout, converting and gathering through
// small blocks in the first-level cache, and splits the work over threads.
#pragma once

#include "kernels/core/op.h"
#include "kernels/core/scalar_math.h"

namespace msjit {

// Sets of compute dtypes for .scalar<Set>(...); 16-bit floats compute as float32.
constexpr uint32_t dtype_bit(DType d) { return 1u << static_cast<int>(d); }
inline constexpr uint32_t kBools = dtype_bit(DType::kBool);
inline constexpr uint32_t kFloats = dtype_bit(DType::kFloat32) | dtype_bit(DType::kFloat64);
inline constexpr uint32_t kInts = dtype_bit(DType::kUInt8) | dtype_bit(DType::kInt8) |
                                  dtype_bit(DType::kInt16) | dtype_bit(DType::kInt32) |
                                  dtype_bit(DType::kInt64);
inline constexpr uint32_t kNumbers = kInts | kFloats;
inline constexpr uint32_t kAllTypes = kNumbers | kBools;

// Strides are 0 or 1 elements, with three operands always 1; `out` may be an input (exactly,
// element on element).
struct LoopArgs {
  int64_t n;
  const void* in[3];
  int64_t stride[3];
  void* out;
  const Attrs* attrs;
};
using LoopFn = void (*)(const LoopArgs& args);

struct LoopEntry {
  LoopFn run = nullptr;
  DType result = DType::kFloat32;  // what the loop writes
};
struct LoopTable {
  LoopEntry by_dtype[kNumDTypes];  // by compute dtype; 16-bit floats are served by float32
};

Status run_elementwise(KernelCtx& ctx, const LoopTable& table);

namespace elementwise_detail {

// The storage type of input i when the op computes in T: the condition of a select is bool.
template <class T, bool Select, int I>
using OperandType = std::conditional_t<Select && I == 0, bool, T>;

// Flattened: a call left in a loop would keep it from being vectorised.
template <class F, class T, bool Select>
[[gnu::flatten]] void unary_loop(const LoopArgs& a) {
  NativeMath<T> m(a.attrs);
  F f;
  using Out = typename decltype(f(m, Num<T>()))::Type;
  const T* x = static_cast<const T*>(a.in[0]);
  Out* out = static_cast<Out*>(a.out);
  int64_t n = a.n;
  if (a.stride[0] == 0) {
    Out value = f(m, Num<T>(*x)).v;
    for (int64_t i = 0; i < n; ++i) out[i] = value;
    return;
  }
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = f(m, Num<T>(x[i])).v;
}

template <class F, class T, bool Select>
[[gnu::flatten]] void binary_loop(const LoopArgs& a) {
  NativeMath<T> m(a.attrs);
  F f;
  using Out = typename decltype(f(m, Num<T>(), Num<T>()))::Type;
  const T* x = static_cast<const T*>(a.in[0]);
  const T* y = static_cast<const T*>(a.in[1]);
  Out* out = static_cast<Out*>(a.out);
  int64_t n = a.n;
  if (a.stride[0] != 0 && a.stride[1] != 0) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = f(m, Num<T>(x[i]), Num<T>(y[i])).v;
  } else if (a.stride[0] != 0) {
    Num<T> y0(*y);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = f(m, Num<T>(x[i]), y0).v;
  } else {
    Num<T> x0(*x);
    if (a.stride[1] == 0) n = n > 0 ? 1 : 0;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = f(m, x0, Num<T>(y[i])).v;
    for (int64_t i = n; i < a.n; ++i) out[i] = out[0];
  }
}

template <class F, class T, bool Select>
[[gnu::flatten]] void ternary_loop(const LoopArgs& a) {
  using T0 = OperandType<T, Select, 0>;
  NativeMath<T> m(a.attrs);
  F f;
  using Out = typename decltype(f(m, Num<T0>(), Num<T>(), Num<T>()))::Type;
  const T0* x = static_cast<const T0*>(a.in[0]);
  const T* y = static_cast<const T*>(a.in[1]);
  const T* z = static_cast<const T*>(a.in[2]);
  Out* out = static_cast<Out*>(a.out);
#pragma GCC ivdep
  for (int64_t i = 0; i < a.n; ++i) out[i] = f(m, Num<T0>(x[i]), Num<T>(y[i]), Num<T>(z[i])).v;
}

template <class F, class T, int Arity, bool Select>
constexpr LoopEntry loop_entry() {
  using M = NativeMath<T>;
  if constexpr (Arity == 1) {
    using R = std::invoke_result_t<F, M, Num<T>>;
    return {unary_loop<F, T, Select>, dtype_of<typename R::Type>()};
  } else if constexpr (Arity == 2) {
    using R = std::invoke_result_t<F, M, Num<T>, Num<T>>;
    return {binary_loop<F, T, Select>, dtype_of<typename R::Type>()};
  } else {
    using R = std::invoke_result_t<F, M, Num<OperandType<T, Select, 0>>, Num<T>, Num<T>>;
    return {ternary_loop<F, T, Select>, dtype_of<typename R::Type>()};
  }
}

template <class F, class T, uint32_t Types, int Arity, bool Select>
constexpr void add_loop(LoopTable& table) {
  if constexpr ((Types & dtype_bit(dtype_of<T>())) != 0) {
    table.by_dtype[static_cast<int>(dtype_of<T>())] = loop_entry<F, T, Arity, Select>();
  }
}

template <class F, uint32_t Types, int Arity, bool Select>
constexpr LoopTable make_table() {
  LoopTable table;
  add_loop<F, bool, Types, Arity, Select>(table);
  add_loop<F, uint8_t, Types, Arity, Select>(table);
  add_loop<F, int8_t, Types, Arity, Select>(table);
  add_loop<F, int16_t, Types, Arity, Select>(table);
  add_loop<F, int32_t, Types, Arity, Select>(table);
  add_loop<F, int64_t, Types, Arity, Select>(table);
  add_loop<F, float, Types, Arity, Select>(table);
  add_loop<F, double, Types, Arity, Select>(table);
  return table;
}

// Number of operands of the lambda, probed with a type it is meant for.
template <class F, uint32_t Types>
constexpr int arity_of() {
  using T = std::conditional_t<(Types & kFloats) != 0, float,
                               std::conditional_t<(Types & kInts) != 0, int32_t, bool>>;
  using M = NativeMath<T>;
  using N = Num<T>;
  if constexpr (requires(F f) { f(M(), N()); })
    return 1;
  else if constexpr (requires(F f) { f(M(), N(), N()); })
    return 2;
  else
    return 3;
}

template <class F, uint32_t Types, int Arity, bool Select>
Status kernel(KernelCtx& ctx) {
  static constexpr LoopTable kTable = make_table<F, Types, Arity, Select>();
  return run_elementwise(ctx, kTable);
}

template <class F, int Arity>
Sym trace(ScalarBuilder& builder, std::span<const Sym> in, const Attrs& attrs) {
  SymMath m(&builder, in.back().dtype(), &attrs);
  F f;
  if constexpr (Arity == 1)
    return f(m, in[0]);
  else if constexpr (Arity == 2)
    return f(m, in[0], in[1]);
  else
    return f(m, in[0], in[1], in[2]);
}

}  // namespace elementwise_detail

template <uint32_t Types, class F>
OpBuilder&& OpBuilder::native(F) && {
  namespace detail = elementwise_detail;
  constexpr int kArity = detail::arity_of<F, Types>();
  def_.kernel[0] =
      detail::kernel<F, Types, kArity, kArity == 3>;  // three operands: a select, with a condition
  return std::move(*this);
}

template <uint32_t Types, class F>
OpBuilder&& OpBuilder::scalar(F maths) && {
  namespace detail = elementwise_detail;
  def_.scalar_trace = detail::trace<F, detail::arity_of<F, Types>()>;
  return std::move(*this).template native<Types>(maths);
}

}  // namespace msjit
