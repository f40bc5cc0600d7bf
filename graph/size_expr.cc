#include "graph/size_expr.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace msjit {
namespace {

int64_t floor_div(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

bool compute(SizeOp op, int64_t a, int64_t b, int64_t* out) {
  const bool divides = op == SizeOp::kFloorDiv || op == SizeOp::kMod;
  if (divides && (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min()))) return false;
  switch (op) {
    case SizeOp::kAdd: return !__builtin_add_overflow(a, b, out);
    case SizeOp::kSub: return !__builtin_sub_overflow(a, b, out);
    case SizeOp::kMul: return !__builtin_mul_overflow(a, b, out);
    case SizeOp::kFloorDiv: *out = floor_div(a, b); return true;
    case SizeOp::kMod: *out = a - floor_div(a, b) * b; return true;
    case SizeOp::kMin: *out = std::min(a, b); return true;
    case SizeOp::kMax: *out = std::max(a, b); return true;
    case SizeOp::kConst:
    case SizeOp::kSymbol: break;
  }
  return false;
}

bool is_value(const SizeExpr& expr, int64_t value) {
  return expr->is_const() && expr->value == value;
}

// a op b where that equals an operand or a constant for all sizes; null otherwise.
SizeExpr simplified(SizeOp op, const SizeExpr& a, const SizeExpr& b) {
  switch (op) {
    case SizeOp::kAdd:
      if (is_value(a, 0)) return b;
      return is_value(b, 0) ? a : nullptr;
    case SizeOp::kSub:
      if (same_expr(a, b)) return size_const(0);
      return is_value(b, 0) ? a : nullptr;
    case SizeOp::kMul:
      if (is_value(a, 1) || is_value(b, 0)) return b;
      return is_value(b, 1) || is_value(a, 0) ? a : nullptr;
    case SizeOp::kFloorDiv:
      if (is_value(b, 1)) return a;
      if (a->op == SizeOp::kMul && b->is_const() && b->value != 0 && same_expr(a->b, b))
        return a->a;
      return nullptr;
    case SizeOp::kMod: return is_value(b, 1) ? size_const(0) : nullptr;
    case SizeOp::kMin:
    case SizeOp::kMax: return same_expr(a, b) ? a : nullptr;
    default: return nullptr;
  }
}

}  // namespace

SizeExpr size_const(int64_t value) {
  return std::make_shared<const SizeNode>(SizeNode{SizeOp::kConst, value, nullptr, nullptr, 0});
}

SizeExpr size_symbol(int index) {
  return std::make_shared<const SizeNode>(
      SizeNode{SizeOp::kSymbol, index, nullptr, nullptr, uint64_t(1) << index});
}

SizeExpr size_binary(SizeOp op, const SizeExpr& a, const SizeExpr& b) {
  if (a->is_const() && b->is_const()) {
    int64_t value = 0;
    return compute(op, a->value, b->value, &value) ? size_const(value) : nullptr;
  }
  // Constants stand on the right, and those of a sum are added up.
  const bool swaps = op == SizeOp::kAdd || op == SizeOp::kMul;
  if (swaps && a->is_const()) return size_binary(op, b, a);
  if (SizeExpr simple = simplified(op, a, b)) return simple;
  if (b->is_const() && (op == SizeOp::kAdd || op == SizeOp::kSub) && a->b && a->b->is_const() &&
      (a->op == SizeOp::kAdd || a->op == SizeOp::kSub)) {
    int64_t first = a->b->value, second = b->value, sum = 0;
    const bool fits = (a->op == SizeOp::kAdd || !__builtin_sub_overflow(0, first, &first)) &&
                      (op == SizeOp::kAdd || !__builtin_sub_overflow(0, second, &second)) &&
                      !__builtin_add_overflow(first, second, &sum) &&
                      sum != std::numeric_limits<int64_t>::min();
    if (fits && sum < 0) return size_binary(SizeOp::kSub, a->a, size_const(-sum));
    if (fits) return size_binary(SizeOp::kAdd, a->a, size_const(sum));
  }
  return std::make_shared<const SizeNode>(
      SizeNode{op, 0, a, b, a->symbols | b->symbols, a->terms + b->terms + 1});
}

bool evaluate(const SizeNode& expr, std::span<const int64_t> sizes, int64_t* out) {
  switch (expr.op) {
    case SizeOp::kConst: *out = expr.value; return true;
    case SizeOp::kSymbol: *out = sizes[static_cast<size_t>(expr.value)]; return true;
    default: break;
  }
  int64_t a = 0, b = 0;
  return evaluate(*expr.a, sizes, &a) && evaluate(*expr.b, sizes, &b) &&
         compute(expr.op, a, b, out);
}

bool same_expr(const SizeExpr& a, const SizeExpr& b) {
  if (a == b) return true;
  if (a->op != b->op || a->value != b->value || a->symbols != b->symbols) return false;
  return !a->a || (same_expr(a->a, b->a) && same_expr(a->b, b->b));
}

namespace {

// How tightly Python binds the outermost operator: 2 for names and calls, 1 for products, 0 for
// sums.
int binding(const SizeNode& expr) {
  switch (expr.op) {
    case SizeOp::kAdd:
    case SizeOp::kSub: return 0;
    case SizeOp::kMul:
    case SizeOp::kFloorDiv:
    case SizeOp::kMod: return 1;
    case SizeOp::kConst: return expr.value < 0 ? 0 : 2;
    default: return 2;
  }
}

}  // namespace

std::string size_text(const SizeExpr& expr, std::span<const std::string> names) {
  if (expr->is_const()) return std::to_string(expr->value);
  if (expr->op == SizeOp::kSymbol) return names[static_cast<size_t>(expr->value)];
  const std::string a = size_text(expr->a, names), b = size_text(expr->b, names);
  if (expr->op == SizeOp::kMin) return fmt::format("min({}, {})", a, b);
  if (expr->op == SizeOp::kMax) return fmt::format("max({}, {})", a, b);
  static const char* const kSigns[] = {"", "", "+", "-", "*", "//", "%"};
  const int own = binding(*expr);
  const auto wrap = [](const std::string& text, bool needed) {
    return needed ? "(" + text + ")" : text;
  };
  const bool right = binding(*expr->b) < own || (binding(*expr->b) == own && !expr->b->is_const());
  return fmt::format("{} {} {}", wrap(a, binding(*expr->a) < own),
                     kSigns[static_cast<int>(expr->op)], wrap(b, right));
}

SizeCompare negate(SizeCompare op) {
  switch (op) {
    case SizeCompare::kLess: return SizeCompare::kGreaterEqual;
    case SizeCompare::kLessEqual: return SizeCompare::kGreater;
    case SizeCompare::kEqual: return SizeCompare::kNotEqual;
    case SizeCompare::kNotEqual: return SizeCompare::kEqual;
    case SizeCompare::kGreater: return SizeCompare::kLessEqual;
    case SizeCompare::kGreaterEqual: break;
  }
  return SizeCompare::kLess;
}

bool compare_sizes(SizeCompare op, int64_t a, int64_t b) {
  switch (op) {
    case SizeCompare::kLess: return a < b;
    case SizeCompare::kLessEqual: return a <= b;
    case SizeCompare::kEqual: return a == b;
    case SizeCompare::kNotEqual: return a != b;
    case SizeCompare::kGreater: return a > b;
    case SizeCompare::kGreaterEqual: break;
  }
  return a >= b;
}

bool SizeRelation::holds(std::span<const int64_t> sizes) const {
  int64_t left = 0, right = 0;
  return evaluate(*a, sizes, &left) && evaluate(*b, sizes, &right) &&
         compare_sizes(op, left, right);
}

std::string SizeRelation::text(std::span<const std::string> names) const {
  static const char* const kSigns[] = {"<", "<=", "==", "!=", ">", ">="};
  return fmt::format("{} {} {}{}{}", size_text(a, names), kSigns[static_cast<int>(op)],
                     size_text(b, names), place.empty() ? "" : "  # ", place);
}

}  // namespace msjit
