#include "graph/shape_env.h"

namespace msjit {
namespace {

constexpr int64_t kLargest = int64_t(1) << 53;  // beyond, sizes are no sizes

}  // namespace

int ShapeEnv::add_symbol(std::string name, int64_t hint) {
  if (size() == kMaxSizeSymbols) return -1;
  names_.push_back(std::move(name));
  hints_.push_back(hint);
  return size() - 1;
}

int64_t ShapeEnv::hint(const SizeExpr& expr) const {
  int64_t value = 0;
  evaluate(*expr, hints_, &value);
  return value;
}

SizeExpr ShapeEnv::binary(SizeOp op, const SizeExpr& a, const SizeExpr& b) const {
  SizeExpr made = size_binary(op, a, b);
  int64_t value = 0;
  if (!made || made->terms > kMaxSizeTerms || !evaluate(*made, hints_, &value) ||
      value > kLargest || value < -kLargest)
    return nullptr;
  return made;
}

void ShapeEnv::require(SizeCompare op, const SizeExpr& a, const SizeExpr& b) {
  if (a->is_const() && b->is_const()) return;
  if (a->is_const() && (op == SizeCompare::kEqual || op == SizeCompare::kNotEqual))
    return require(op, b, a);
  if (op == SizeCompare::kEqual && same_expr(a, b)) return;
  for (const SizeRelation& known : relations_)
    if (known.op == op && same_expr(known.a, a) && same_expr(known.b, b)) return;
  relations_.push_back({op, a, b, place_});
  if (op == SizeCompare::kEqual && b->is_const() && a->op == SizeOp::kSymbol) fixed_ |= a->symbols;
}

bool ShapeEnv::decide(SizeCompare op, const SizeExpr& a, const SizeExpr& b) {
  const bool holds = compare_sizes(op, hint(a), hint(b));
  require(holds ? op : negate(op), a, b);
  return holds;
}

int64_t ShapeEnv::specialise(const SizeExpr& expr) {
  const int64_t value = hint(expr);
  if (expr->symbols & ~fixed_) require(SizeCompare::kEqual, expr, size_const(value));
  return value;
}

void ShapeEnv::specialise_all() {
  for (int i = 0; i < size(); ++i) specialise(size_symbol(i));
}

}  // namespace msjit
