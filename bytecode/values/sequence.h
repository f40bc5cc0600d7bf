// What tuples, lists and constant tuples share.
#pragma once

#include "bytecode/values/value_kind.h"

namespace msjit {

// A known int as an index. False, without an error, for other keys.
bool index_value(const SymRef& key, Py_ssize_t* out);
bool is_slice(const SymRef& key);
// The key of a builtin container as a plain builtin value, without open sizes.
bool plain_key(Executor& x, const SymRef& key, SymRef* out);

bool sequence_length(Executor& x, const SymRef& value, SymRef* out);
bool sequence_iterate(Executor& x, const SymRef& value, SymRef* out);
bool sequence_contains(Executor& x, const SymRef& container, const SymRef& item, bool* out);
bool sequence_subscript(Executor& x, const SymRef& container, const SymRef& key, SymRef* out);
// items[n] for an int that only a run knows, as random.choice() reads it. Items that are neither
// numbers nor texts are picked only by a drawn number. `known` stays false for other containers and
// keys.
bool pick_item(Executor& x, const SymRef& container, const SymRef& key, SymRef* out, bool* known);
// items[t] for the number of a loop's turn, where the items are numbers of one class and each turn
// is within them. If their number is open, the run picks the item.
bool item_of_turn(Executor& x, const SymRef& container, const SymRef& turn, SymRef* out,
                  bool* known);
bool sequence_truth(Executor& x, const SymRef& value, bool* out);
Ref sequence_to_python(Executor& x, const SymRef& value, int depth);
SymRef sequence_join(Joiner& joiner, const SymRef& a, const SymRef& b);
SymRef sequence_join_one(Joiner& joiner, int side, const SymRef& value);

}  // namespace msjit
