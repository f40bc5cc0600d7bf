// SizeExpr: an integer expression over the open sizes of a capture: dimensions of its inputs and
// Python ints. Expressions are immutable and shared. They are folded when built, so one without
// symbols is a constant. They follow Python (floor division, modulo with the sign of the divisor),
// but every value must fit 64 bits: evaluation fails on overflow and on division by zero.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace msjit {

enum class SizeOp : uint8_t { kConst, kSymbol, kAdd, kSub, kMul, kFloorDiv, kMod, kMin, kMax };

struct SizeNode;
using SizeExpr = std::shared_ptr<const SizeNode>;

struct SizeNode {
  SizeOp op;
  int64_t value = 0;  // kConst; kSymbol: its number
  SizeExpr a, b;
  uint64_t symbols = 0;  // bit i: depends on symbol i
  int64_t terms = 1;     // what evaluate() visits; parts shared by two operands count twice
  bool is_const() const { return op == SizeOp::kConst; }
};

inline constexpr int kMaxSizeSymbols = 64;
inline constexpr int64_t kMaxSizeTerms = 512;

SizeExpr size_const(int64_t value);
SizeExpr size_symbol(int index);
// Null when constant operands overflow or divide by zero.
SizeExpr size_binary(SizeOp op, const SizeExpr& a, const SizeExpr& b);

// False: overflow or a division by zero.
bool evaluate(const SizeNode& expr, std::span<const int64_t> sizes, int64_t* out);
bool same_expr(const SizeExpr& a, const SizeExpr& b);
// As Python writes it, with `names` for the symbols.
std::string size_text(const SizeExpr& expr, std::span<const std::string> names);

enum class SizeCompare : uint8_t { kLess, kLessEqual, kEqual, kNotEqual, kGreater, kGreaterEqual };
SizeCompare negate(SizeCompare op);
bool compare_sizes(SizeCompare op, int64_t a, int64_t b);

// A relation on which a capture relies.
struct SizeRelation {
  SizeCompare op;
  SizeExpr a, b;
  std::string place;  // file:line that relied on it
  uint64_t symbols() const { return a->symbols | b->symbols; }
  bool holds(std::span<const int64_t> sizes) const;
  std::string text(std::span<const std::string> names) const;
};

}  // namespace msjit
