// How the threads of a GPU share the points of a fused kernel: a function of the spec alone, which
// the code generator and whoever launches the kernel both ask. A kernel takes the pointers of its
// operands, then, when it is open, its sizes as open_spec orders them, each an int64. Any number of
// blocks gives the same result: a block goes on where all of them together have ended.
#pragma once

#include <span>
#include <vector>

#include "codegen/chunks.h"

namespace msjit {

inline constexpr int kBlockThreads = 256;
inline constexpr int kWarpThreads = 32;

struct DeviceShape {
  enum Kind : uint8_t {
    kPoints,   // nothing is folded: a thread takes points, or vectors of them
    kRows,     // the innermost dim is folded: by a warp, or by a block
    kColumns,  // it is kept: a warp takes neighbours of it, and the warps of a block share the rest
  };
  Kind kind = kPoints;
  int folders = 1;  // threads that fold one value together
  int lanes = 1;    // elements of a vector access, at most 16 bytes of each operand

  // Values that a block folds at a time, or points that it takes.
  int values_per_block() const {
    return kind == kPoints ? kBlockThreads * lanes : kBlockThreads / folders;
  }
};

DeviceShape device_shape(const KernelSpec& spec);

// The blocks that one pass over all points needs. `extents`: of all dims, also of an open kernel.
int64_t device_blocks(const KernelSpec& spec, std::span<const Dim> extents);
// Blocks that a processor takes side by side; more only wait for each other.
inline constexpr int64_t kBlocksPerProcessor = 8;
// Where a reduction is cut into chunks on a device of so many processors. `spec` is not open.
ChunkLimits device_limits(const KernelSpec& spec, int64_t processors);

}  // namespace msjit
