// Memory for the intermediates of runs. An executable needs it only while it runs, so all of them
// share a few blocks: the regions of a program, and the plans of one region for many sizes.
#pragma once

#include <cstdint>

#include "kernels/core/storage.h"

namespace msjit::arenas {

// The use of a block, from take() to give_back().
struct Lease {
  Storage block;
  int place = -1;  // where the block is kept; -1: nowhere
};

// At least `bytes` bytes, from the place `preferred` if its block is there and suffices. `user`
// names the executable. From any thread; takes no lock.
Result<Lease> take(int64_t bytes, int preferred, const void* user);
void give_back(Lease lease);
// Frees the blocks that `user` was the last to use, or that were made for it, and that nobody uses.
void forget(const void* user);

}  // namespace msjit::arenas
