// TapeNode: one recorded step. A tracked leaf among the inputs is kept by its own handle, by which it is
// recognised; all other inputs and the outputs as headers without history next to the edge they had when
// recorded, so that nothing a node owns leads back to it.
#pragma once

#include <atomic>

#include "kernels/eager/tape.h"

namespace msjit {

struct SavedInput {
  Tensor value;          // null = absent optional input
  TapeNodePtr node;      // producer; null for a leaf
  int output_index = 0;
  bool wanted = false;   // was tracked: its gradient may be asked for
  uint64_t version = 0;
};

struct SavedOutput {
  Tensor value;
  uint64_t version = 0;
};

class TapeNode {
 public:
  std::atomic<int32_t> refs{0};
  const OpDef* op = nullptr;               // else custom, else the identity
  std::shared_ptr<CustomBackward> custom;
  Attrs attrs;
  InlineVec<SavedInput, 2> inputs;
  InlineVec<SavedOutput, 1> outputs;
  TapeNode* next_dead = nullptr;
  const char* name() const;
};

}  // namespace msjit
