// Changes that an arm of a branch makes besides its slots and stack: new values of tensors, and
// stores to attributes that existed before. At the arm's end they are taken back, so that the other
// arm does not see them. The values of both arms are joined, and the joined value is written behind
// the branch.
#pragma once

#include "bytecode/control.h"

namespace msjit {

// Where an arm's entries begin in the Heap's logs. Values with a serial of at least `serial` were
// made in the arm.
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

// A tensor of the program may have been found under several names, as several SymValues.
bool is_same_tensor(const SymRef& a, const SymRef& b);

// Undoes the changes since `before` and returns them.
ArmChanges take_changes(Heap& heap, const ChangeMark& before);

struct JoinedChanges {
  std::vector<std::pair<SymRef, SymRef>> tensors;  // each with its value behind the arms
  std::vector<ArmChanges::Attribute> attributes;
};

// Joins both arms' values of each changed place. False, with joiner.why, where they cannot be
// joined.
bool join_changes(Joiner& joiner, const ArmChanges* arms, JoinedChanges* out);
// Makes the joined changes. Called when the If node exists.
bool make_changes(Executor& x, const JoinedChanges& changes);

// Joins both arms of a branch on `tested` into the frame that was forked (join_arms.cc). False, and
// failed: they cannot be joined.
bool join_arms(Executor& x, SymFrame& frame, SymFrame* arms, const SymRef& tested,
               const ArmChanges* changes, Joiner& joiner);

}  // namespace msjit
