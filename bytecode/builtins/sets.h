// Sets in captured code; see sets.cc.
#pragma once

#include "bytecode/values/value_kind.h"

namespace msjit {

// The real set that is kept with a kSet, or a constant frozenset; empty for anything else.
Ref shadow_of(const SymRef& value);
// The items, in the order of iteration.
bool set_items(Executor& x, const SymRef& set, std::vector<SymRef>* out);
bool set_length(Executor& x, const SymRef& set, SymRef* out);
bool set_iterate(Executor& x, const SymRef& set, SymRef* out);
bool set_contains(Executor& x, const SymRef& set, const SymRef& item, bool* out);
// {*a, *b}
bool set_of_all(Executor& x, const std::vector<SymRef>& parts, SymRef* out);
// | & - ^ of two sets; `known` = false for other operands.
bool set_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                SymRef* out, bool* known);

}  // namespace msjit
