// What an arm of a branch changes besides its slots and stack: the values of tensors, and attributes
// that were there before. All of it is taken back at the arm's end, so that the other arm does not
// see it. What the arms have made of one place is joined, and the join is the change behind them.
#pragma once

#include "bytecode/control.h"

namespace msjit {

// Where the notes of an arm begin; values with a serial of `serial` or more are the arm's own.
struct ChangeMark {
  ChangeMark(Heap& heap, uint64_t first_serial)
      : renewed(heap.renewed().size()),
        stored(heap.stored().size()),
        overwritten(heap.overwritten().size()),
        serial(first_serial) {}
  size_t renewed, stored, overwritten;
  uint64_t serial;
};

struct ArmChanges {
  struct Attribute {
    SymRef object;
    std::string name;
    SymRef value;
  };
  std::vector<std::pair<SymRef, Val>> tensors;
  std::vector<Attribute> attributes;
};

// Takes back what has been changed since `before`.
ArmChanges take_changes(Heap& heap, const ChangeMark& before);

struct JoinedChanges {
  std::vector<std::pair<SymRef, SymRef>> tensors;  // and the value behind the arms
  std::vector<ArmChanges::Attribute> attributes;
};

// False, with joiner.why, where the arms' values of one place cannot be joined.
bool join_changes(Joiner& joiner, const ArmChanges* arms, JoinedChanges* out);
// Once the If is there.
bool make_changes(Executor& x, const JoinedChanges& changes);

}  // namespace msjit
