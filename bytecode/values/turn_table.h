// kTurnTable: a number that is known for each turn of a Scan: `betas[t]`, `0.9 ** t`, an item of a
// list of numbers. While the body is captured it stands for the numbers of all turns at once. What
// the program makes of such numbers is computed for each turn, by the rules for known numbers, so
// it is exactly the program's number. Beside a tensor it is the row of a constant tensor.
#pragma once

#include <functional>
#include <span>

#include "bytecode/exec.h"

namespace msjit {

// A number that turns tell apart. Its rules decide in operators, before those of deferred numbers.
inline bool is_by_turn(const SymRef& value) {
  return value->kind == SymKind::kTurn || value->kind == SymKind::kTurnTable;
}
// Whether a value is known for each turn of one loop: a kTurnTable, or a kTurn where the number of
// turns is known.
bool is_known_by_turn(Executor& x, const SymRef& value);
// The number of a turn (kTurn) as a kScalar. values/turn.cc
bool scalar_of_turn(Executor& x, const SymRef& turn, SymRef* out);

// The number that a turn makes of its operands.
using OfTurn = std::function<bool(const std::vector<SymRef>& operands, SymRef* out)>;
// The value that `compute` makes in each turn of `operands`, of which at least one is known by turn
// and the others are constants. `known` stays false where they are not, or where it is not a number
// of one class in all turns. False: the program raises in some turn, or something ends the region.
bool compute_by_turn(Executor& x, std::span<const SymRef> operands, const OfTurn& compute,
                     SymRef* out, bool* known);
// The same for values given one by one: one for each turn of the loop with the turn `turn`.
bool table_of_turns(Executor& x, const SymRef& turn, const std::vector<SymRef>& values, SymRef* out,
                    bool* known);
// A call of a pure function with such a number among its arguments.
bool call_by_turn(Executor& x, const std::vector<SymRef>& args, const OfTurn& call, SymRef* out,
                  bool* known);
// container[key] where the key is known by turn, and the container an array or one of Python's own.
bool item_by_turn(Executor& x, const SymRef& container, const SymRef& key, SymRef* out,
                  bool* known);
// Whether an object is a number of a class that a kTurnTable may hold.
bool is_known_number(PyObject* object);
// The number in turn `turn` of a kTurnTable.
SymRef number_in_turn(const SymValue& table, int64_t turn);

}  // namespace msjit
