// Number: a Python float that a capture leaves open because it has changed between calls, or what
// Python makes of such floats and open sizes. It is computed with Python's own arithmetic, so it is
// the number the program would have, or fails where the program raises. It can be a scalar that
// tensors are computed with and can leave the region; whoever needs more of it looks at it
// (Heap::realize), which makes the floats it comes from constant, under guards.
#pragma once

#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "bytecode/instr.h"
#include "graph/size_expr.h"
#include "guards/source.h"

namespace msjit {

struct NumberNode;
using NumberExpr = std::shared_ptr<const NumberNode>;

struct NumberNode {
  enum class Kind : uint8_t { kSource, kConst, kSize, kItem, kBinary, kUnary };
  Kind kind;
  SourceId source = kNoSource;  // kSource
  Ref object;  // kSource: the float it is now; kConst: an int or a float; kItem: a tuple of floats
  SizeExpr size;  // kSize; kItem: the position
  BinaryOp binary = BinaryOp::kAdd;
  UnaryOp unary = UnaryOp::kNegative;
  NumberExpr a, b;
  int64_t terms = 1;  // what evaluate() visits; parts shared by two operands count twice
};

// Python's a op b; a new reference, null with an exception set.
PyObject* python_binary(BinaryOp op, PyObject* a, PyObject* b);
// The float, from the objects and sizes of a call. Empty, without an exception set, where Python
// raises or gives something else than a float.
Ref evaluate(const NumberNode& number, PyObject* const* registers, std::span<const int64_t> sizes);
// Every node that evaluate() visits.
void add_nodes(const NumberNode& number, std::unordered_set<const NumberNode*>* nodes);
void add_sources(const NumberNode& number, std::vector<SourceId>* out);

}  // namespace msjit
