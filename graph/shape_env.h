// ShapeEnv: the open sizes of one capture. Each is a symbol with the value it has during the
// capture (its hint). It also keeps the relations between sizes that the capture relies on: the
// outcome of a comparison, a size that had to be a plain number. These relations become guards.
#pragma once

#include <vector>

#include "graph/size_expr.h"

namespace msjit {

class ShapeEnv {
 public:
  // Adds an open size and returns its number, or -1 when there are too many. `name` is its name in
  // Python.
  int add_symbol(std::string name, int64_t hint);
  int size() const { return static_cast<int>(hints_.size()); }
  const std::vector<int64_t>& hints() const { return hints_; }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<SizeRelation>& relations() const { return relations_; }

  // The value of an expression at the hints; it always has one (see binary()).
  int64_t hint(const SizeExpr& expr) const;
  // a op b, or null when it has no value at the hints, or a magnitude beyond 2^53, or too many
  // terms.
  SizeExpr binary(SizeOp op, const SizeExpr& a, const SizeExpr& b) const;
  // Decides a comparison by the hints and records the relation that makes it come out so.
  bool decide(SizeCompare op, const SizeExpr& a, const SizeExpr& b);
  // Makes the expression a plain number from now on: its value at the hints.
  int64_t specialise(const SizeExpr& expr);
  void specialise_all();
  // The source line for the relations that follow.
  void set_place(std::string place) { place_ = std::move(place); }
  bool is_fixed(int symbol) const { return (fixed_ >> symbol) & 1; }
  uint64_t fixed() const { return fixed_; }

 private:
  void require(SizeCompare op, const SizeExpr& a, const SizeExpr& b);

  std::vector<int64_t> hints_;
  std::vector<std::string> names_;
  std::vector<SizeRelation> relations_;
  std::string place_;
  uint64_t fixed_ = 0;  // symbols a relation sets equal to a number
};

}  // namespace msjit
