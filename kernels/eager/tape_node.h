// TapeNode: one recorded step. A leaf among the inputs is kept by its own handle, by which it is
// recognised, and by a header on what it held; an intermediate as an edge to its producer, which
// keeps the value; outputs as headers without history. So nothing a node owns leads back to it
// (break_cycles() in tape.cc sees to the one exception).
#pragma once

#include <atomic>

#include "kernels/eager/saved_hooks.h"
#include "kernels/eager/tape.h"

namespace msjit {

struct SavedInput {
  Tensor leaf;       // a tracked input without a producer
  Tensor value;      // null when there is a producer, or for an absent optional input
  TapeNodePtr node;  // producer
  int output_index = 0;
  bool wanted = false;  // was tracked: its gradient may be asked for
  uint64_t version = 0;
};

struct SavedOutput {
  Tensor value;
  uint64_t version = 0;
};

class TapeNode;
// The leaf by which the tape knows `t`, a tensor without producer.
const Tensor& leaf_of(const Tensor& t);
// The saved value of an input, without history; null = absent.
const Tensor& saved_value(const SavedInput& input);

class TapeNode {
 public:
  std::atomic<int32_t> refs{1};
  const OpDef* op = nullptr;  // else custom, else the identity
  std::shared_ptr<CustomBackward> custom;
  Attrs attrs;
  InlineVec<SavedInput, 2> inputs;
  InlineVec<SavedOutput, 1> outputs;
  std::unique_ptr<PackedTensors> packed;  // null: values are as they were saved
  TapeNode* next_dead = nullptr;
  const char* name() const;
  TapeNodePtr share() {
    refs.fetch_add(1, std::memory_order_relaxed);
    return TapeNodePtr(this);
  }
};

}  // namespace msjit
