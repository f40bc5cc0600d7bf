// Operators of open sizes and floats.
#pragma once

#include "bytecode/values/value_kind.h"

namespace msjit {

bool open_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                 SymRef* out, bool* known);
bool open_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out, bool* known);

}  // namespace msjit
