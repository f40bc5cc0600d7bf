// NodeIndex: tape node -> its position in a backward walk. Uses open addressing, because every edge
// asks it several times.
#pragma once

#include <vector>

#include "kernels/eager/tape_node.h"

namespace msjit {

class NodeIndex {
 public:
  NodeIndex() : slots_(64) {}
  // False when the node is known already.
  bool insert(TapeNode* node) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = find(node);
    if (slot.node) return false;
    slot.node = node;
    ++size_;
    return true;
  }
  uint32_t& operator[](TapeNode* node) { return find(node).position; }

 private:
  struct Slot {
    TapeNode* node = nullptr;
    uint32_t position = 0;
  };
  Slot& find(TapeNode* node) {
    size_t mask = slots_.size() - 1;
    size_t at = (reinterpret_cast<size_t>(node) >> 6) * 0x9e3779b97f4a7c15ull >> 20;
    while (slots_[at & mask].node && slots_[at & mask].node != node) ++at;
    return slots_[at & mask];
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.node) find(slot.node) = slot;
  }
  std::vector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace msjit
