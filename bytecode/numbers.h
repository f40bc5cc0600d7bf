// NumberNode: an expression for a Python float that a capture leaves open. Its leaves are floats
// that have changed between calls, open sizes and constants. It is computed with Python's own
// arithmetic, so it is exactly the program's number, or fails where the program raises. It can be a
// 0-d operand of tensors and can leave the region. Any other use looks at it (Heap::realize), which
// makes the floats in it constant, under guards.
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
  enum class Kind : uint8_t { kSource, kConst, kSize, kItem, kBinary, kUnary, kCall };
  Kind kind;
  SourceId source = kNoSource;  // kSource
  Ref object;     // kSource: the float at capture; kConst: an int or a float; kItem: a tuple of
                  // floats; kCall: a function written in C that computes with one or two numbers
  SizeExpr size;  // kSize; kItem: the position
  BinaryOp binary = BinaryOp::kAdd;
  UnaryOp unary = UnaryOp::kNegative;
  NumberExpr a, b;
  int64_t terms = 1;  // what evaluate() visits; parts shared by two operands count twice
};

// Python's a op b; a new reference, null with an exception set.
PyObject* python_binary(BinaryOp op, PyObject* a, PyObject* b);
// The float, computed from the objects and sizes of a call. Empty, without an exception set, where
// Python raises or the result is no float.
Ref evaluate(const NumberNode& number, PyObject* const* registers, std::span<const int64_t> sizes);
// Every node that evaluate() visits.
void add_nodes(const NumberNode& number, std::unordered_set<const NumberNode*>* nodes);
void add_sources(const NumberNode& number, std::vector<SourceId>* out);

}  // namespace msjit
