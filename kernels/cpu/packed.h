// Packed weights: copies of a weight in the layout its oneDNN primitive reads best, or in another
// dtype. The first uses of a weight are counted; from the third on with the same bytes it is worth
// a copy, which stays with the weight's storage. A copy is used only while nothing can have written
// the storage since: its version is unchanged and no one else sees the memory (foreign or exported
// memory, arenas).
#pragma once

#include "kernels/core/tensor.h"

namespace msjit::packed {

struct Found {
  Storage copy;      // empty: read the plain bytes
  int layout = 0;    // of `copy`
  bool due = false;  // used often enough: make a copy and keep() it
};
// Counts a use of `weight` by the primitive of `key`, a hash of all that decides its layout.
Found find(const Tensor& weight, uint64_t key);

// A copy of the weight in a layout (a positive number); empty when there is none.
Storage find_layout(const Tensor& weight, int layout);

// Room for a copy of so many bytes, which leaves the budget when the storage goes; empty when the
// budget is spent.
Result<Storage> allocate(size_t bytes);

// Answers later find()s of `key` with `copy`; an empty copy: the plain bytes are the best layout.
// `version` is that of the storage when it was read.
void keep(const Tensor& weight, uint64_t key, int layout, uint64_t version, Storage copy);

// The weight as `dtype`, contiguous. Its memory may be a copy that other calls are given too:
// nobody is to be handed it who may write to it.
Result<Tensor> cast(const Tensor& weight, DType dtype);

int64_t kept_bytes();  // of all copies, for stats and tests

}  // namespace msjit::packed
