// Operators of open sizes and floats.
#pragma once

#include "bytecode/values/value_kind.h"

namespace msjit {

// A function of math, min() or max() of numbers one of which is open, where the result is a float.
// `known` stays false for others.
bool open_call(Executor& x, PyObject* function, const char* name, const std::vector<SymRef>& args,
               SymRef* out, bool* known);
bool open_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                 SymRef* out, bool* known);
bool open_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out, bool* known);

}  // namespace msjit
