// Eager kernels of elementwise ops, made from the op's scalar lambda (OpBuilder::scalar). One inner
// loop is instantiated per compute dtype. It only knows operands of stride 1 or 0. The driver
// (elementwise.cc) supplies such operands for every layout: it converts and gathers through small
// blocks in the first-level cache, and it splits the work over threads.
#pragma once

#include "kernels/core/op.h"
#include "kernels/core/scalar_math.h"
#include "kernels/cpu/wide_vectors.h"

namespace msjit {

// Sets of compute dtypes for .scalar<Set>(...); 16-bit floats compute as float32.
constexpr uint32_t dtype_bit(DType d) { return 1u << static_cast<int>(d); }
inline constexpr uint32_t kBools = dtype_bit(DType::kBool);
inline constexpr uint32_t kFloat32s = dtype_bit(DType::kFloat32);
inline constexpr uint32_t kFloats = kFloat32s | dtype_bit(DType::kFloat64);
inline constexpr uint32_t kInts = dtype_bit(DType::kUInt8) | dtype_bit(DType::kInt8) |
                                  dtype_bit(DType::kInt16) | dtype_bit(DType::kInt32) |
                                  dtype_bit(DType::kInt64) | dtype_bit(DType::kUInt16) |
                                  dtype_bit(DType::kUInt32) | dtype_bit(DType::kUInt64);
inline constexpr uint32_t kNumbers = kInts | kFloats;
inline constexpr uint32_t kAllTypes = kNumbers | kBools;

// Strides are 0 or 1 elements; with three operands they are always 1. `out` may be one of the
// inputs, element on element.
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
  LoopFn wide = nullptr;           // for processors with AVX-512; null where that does not pay
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

namespace usual {
#define MSJIT_LOOP [[gnu::flatten]]
#include "kernels/cpu/elementwise_loops.inc"
#undef MSJIT_LOOP
}  // namespace usual

// The same loops on the vectors of AVX-512; they give equal bits.
namespace wide {
#define MSJIT_LOOP MSJIT_WIDE_LOOP
#include "kernels/cpu/elementwise_loops.inc"
#undef MSJIT_LOOP
}  // namespace wide

template <class F, class T, int Arity, bool Select>
constexpr DType result_of() {
  using M = NativeMath<T>;
  if constexpr (Arity == 1) {
    return dtype_of<typename std::invoke_result_t<F, M, Num<T>>::Type>();
  } else if constexpr (Arity == 2) {
    return dtype_of<typename std::invoke_result_t<F, M, Num<T>, Num<T>>::Type>();
  } else {
    using First = Num<OperandType<T, Select, 0>>;
    return dtype_of<typename std::invoke_result_t<F, M, First, Num<T>, Num<T>>::Type>();
  }
}

// `Wide`: the types that also get an AVX-512 loop.
template <class F, class T, uint32_t Types, uint32_t Wide, int Arity, bool Select>
constexpr void add_loop(LoopTable& table) {
  constexpr uint32_t kType = dtype_bit(dtype_of<T>());
  if constexpr ((Types & kType) != 0) {
    LoopEntry& entry = table.by_dtype[static_cast<int>(dtype_of<T>())];
    entry.run = usual::loop<F, T, Arity, Select>();
    if constexpr ((Wide & kType) != 0) entry.wide = wide::loop<F, T, Arity, Select>();
    entry.result = result_of<F, T, Arity, Select>();
  }
}

template <class F, uint32_t Types, uint32_t Wide, int Arity, bool Select>
constexpr LoopTable make_table() {
  LoopTable table;
  add_loop<F, bool, Types, Wide, Arity, Select>(table);
  add_loop<F, uint8_t, Types, Wide, Arity, Select>(table);
  add_loop<F, int8_t, Types, Wide, Arity, Select>(table);
  add_loop<F, int16_t, Types, Wide, Arity, Select>(table);
  add_loop<F, int32_t, Types, Wide, Arity, Select>(table);
  add_loop<F, int64_t, Types, Wide, Arity, Select>(table);
  add_loop<F, uint16_t, Types, Wide, Arity, Select>(table);
  add_loop<F, uint32_t, Types, Wide, Arity, Select>(table);
  add_loop<F, uint64_t, Types, Wide, Arity, Select>(table);
  add_loop<F, float, Types, Wide, Arity, Select>(table);
  add_loop<F, double, Types, Wide, Arity, Select>(table);
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

template <class F, uint32_t Types, uint32_t Wide, int Arity>
Status kernel(KernelCtx& ctx) {
  // Three operands: a select, with a condition.
  static constexpr LoopTable kTable = make_table<F, Types, Wide, Arity, Arity == 3>();
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
  def_.kernel[0] = detail::kernel<F, Types, 0, kArity>;
  return std::move(*this);
}

template <uint32_t Types, uint32_t Traced, class F>
OpBuilder&& OpBuilder::scalar(F) && {
  namespace detail = elementwise_detail;
  constexpr int kArity = detail::arity_of<F, Types>();
  // Maths that exists only for floats has many operations per element. Other maths waits for
  // memory, so wider vectors do not help it.
  constexpr uint32_t kWide = (Traced & ~kFloats) == 0 ? Traced : 0;
  def_.scalar_trace = detail::trace<F, kArity>;
  def_.traced_types = Traced;
  def_.kernel[0] = detail::kernel<F, Types, kWide, kArity>;
  return std::move(*this);
}

}  // namespace msjit
