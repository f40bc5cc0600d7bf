// Packed weights: copies of a weight in the layout that its oneDNN primitive reads best, or in
// another dtype. Uses of a weight with unchanged bytes are counted; the third use makes a copy,
// which stays with the weight's storage. A copy is used only while nothing can have written to the
// storage since. So its version must be unchanged and nobody else may see the memory: no foreign or
// exported memory, no arenas.
#pragma once

#include "kernels/core/tensor.h"

namespace msjit::packed {

struct Found {
  Storage copy;      // empty: read the plain bytes
  int layout = 0;    // of `copy`
  bool due = false;  // used often enough: make a copy and call keep()
};
// Counts a use of `weight` by the primitive of `key`, a hash of everything that decides its layout.
Found find(const Tensor& weight, uint64_t key);

// A copy of the weight in a given layout (a positive number); empty when there is none.
Storage find_layout(const Tensor& weight, int layout);

// Room for a copy of so many bytes. It counts against a budget until the storage is freed. Empty
// when the budget is spent.
Result<Storage> allocate(size_t bytes);

// Later find()s of `key` return `copy`. An empty copy says that the plain bytes are the best
// layout. `version` is the storage's version when it was read.
void keep(const Tensor& weight, uint64_t key, int layout, uint64_t version, Storage copy);

// The weight as `dtype`, contiguous. The memory may be a copy that other calls get too, so it must
// not be handed to anyone who may write to it.
Result<Tensor> cast(const Tensor& weight, DType dtype);

int64_t kept_bytes();  // of all copies, for stats and tests

}  // namespace msjit::packed
