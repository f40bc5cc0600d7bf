// TapeNode: one recorded step. An input that is a leaf is kept by its handle, which identifies it,
// and by a header on what it held. Another input is kept as an edge to its producer, which keeps
// the value. Outputs are kept as headers without history. So nothing that a node owns leads back to
// the node; break_cycles() in tape.cc handles the one exception.
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
// The leaf by which the tape knows `t`, a tensor without a producer.
const Tensor& leaf_of(const Tensor& t);
// The saved value of an input, without history; null = absent.
const Tensor& saved_value(const SavedInput& input);

class TapeNode {
 public:
  std::atomic<int32_t> refs{1};
  const OpDef* op = nullptr;  // null: `custom` applies, or without it the identity
  std::shared_ptr<CustomBackward> custom;
  Attrs attrs;
  InlineVec<SavedInput, 2> inputs;
  InlineVec<SavedOutput, 1> outputs;
  int64_t order = 0;                      // of ordered_steps.h, from 1 on; 0: it is none
  std::unique_ptr<PackedTensors> packed;  // null: the values are kept as they are
  TapeNode* next_dead = nullptr;
  const char* name() const;
  TapeNodePtr share() {
    refs.fetch_add(1, std::memory_order_relaxed);
    return TapeNodePtr(this);
  }
};

}  // namespace msjit
