// ScalarProgram: the maths of one output element as straight-line code, and the builder that
// records it. An elementwise op writes its maths once, as a generic lambda `[](auto m, auto x) {
// ... }`. With NativeMath and C++ numbers the lambda is the body of the eager loop
// (kernels/cpu/elementwise.h). With SymMath and Syms it records a ScalarProgram, which codegen
// turns into LLVM IR. Both share the polynomials of scalar_words.h, so results agree bit for bit.
// Nothing is contracted: there is a fused multiply-add only where the lambda says fma.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/core/dtype.h"

namespace msjit {

enum class ScalarOp : uint8_t {
  kInput,  // index = which input
  kConst,  // imm_float or imm_int, by dtype
  kAdd,
  kSub,
  kMul,
  kDiv,  // floats: IEEE; ints: truncating, 0 for a zero divisor (callers build floor division from
         // it)
  kRem,  // truncating remainder; ints: 0 for a zero divisor
  kNeg,
  kAbs,
  kMin,
  kMax,  // x < y ? x : y and x > y ? x : y (ordered compares; NaN handling is the lambda's
         // business)
  kFma,
  kSqrt,
  kFloor,
  kCeil,
  kTrunc,
  kRint,  // floats only; rint = round half to even
  kLt,
  kLe,
  kEq,
  kNe,  // result bool; ordered except kNe
  kAnd,
  kOr,
  kXor,
  kNot,  // bool and ints, bitwise
  kShl,
  kShr,      // ints; arithmetic shift for signed
  kSelect,   // a ? b : c
  kCast,     // value conversion; float -> int as truncate_to()
  kBitcast,  // same width
};

// A node's dtype is a compute type: bool, an integer, float32 or float64 (16-bit floats are loaded
// as float32).
struct ScalarNode {
  ScalarOp op;
  DType dtype;
  int32_t a = -1, b = -1, c = -1;  // operands, or the input index in `a`
  double imm_float = 0;
  int64_t imm_int = 0;
  // By bits: -0.0 and 0.0 are different numbers, and a NaN equals itself.
  friend bool operator==(const ScalarNode& x, const ScalarNode& y) {
    return x.op == y.op && x.dtype == y.dtype && x.a == y.a && x.b == y.b && x.c == y.c &&
           x.imm_int == y.imm_int &&
           std::bit_cast<uint64_t>(x.imm_float) == std::bit_cast<uint64_t>(y.imm_float);
  }
};

struct ScalarProgram {
  std::vector<ScalarNode> nodes;  // in evaluation order
  std::vector<int32_t> outputs;
};

class ScalarBuilder;

// A handle on one node; arithmetic operators on it record nodes. A number becomes a constant of the
// other operand's dtype.
class Sym {
 public:
  Sym() = default;
  Sym(ScalarBuilder* builder, int32_t id, DType dtype)
      : builder_(builder), id_(id), dtype_(dtype) {}
  ScalarBuilder* builder() const { return builder_; }
  int32_t id() const { return id_; }
  DType dtype() const { return dtype_; }

 private:
  ScalarBuilder* builder_ = nullptr;
  int32_t id_ = -1;
  DType dtype_ = DType::kFloat32;
};

// Appends nodes. Merges equal ones but folds nothing else, because bit equality with the native
// loops matters more.
class ScalarBuilder {
 public:
  Sym input(int32_t index, DType dtype);
  Sym constant(double value, DType dtype);
  Sym constant_int(int64_t value, DType dtype);
  Sym emit(ScalarOp op, DType dtype, Sym a, Sym b = {}, Sym c = {});
  void output(Sym value) { program_.outputs.push_back(value.id()); }
  ScalarProgram take() { return std::move(program_); }
  const ScalarProgram& program() const { return program_; }

 private:
  Sym append(ScalarNode node);
  size_t place_of(const ScalarNode& node) const;

  ScalarProgram program_;
  std::vector<int32_t> table_;  // the nodes by their hash; -1: free
};

}  // namespace msjit
