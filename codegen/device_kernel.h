// How the threads of a GPU share the points of a fused kernel. This depends on the spec alone; both
// the code generator and the launching code ask for it. A kernel takes the pointers of its
// operands. An open kernel then takes its sizes in the order of open_spec, each an int64. Any
// number of blocks gives equal results: each block loops over the points in steps of the whole
// grid.
#pragma once

#include <span>
#include <vector>

#include "codegen/chunks.h"

namespace msjit {

inline constexpr int kBlockThreads = 256;
inline constexpr int kWarpThreads = 32;

struct DeviceShape {
  enum Kind : uint8_t {
    kPoints,   // nothing is reduced: a thread computes points, or vectors of them
    kRows,     // the innermost dim is reduced: by a warp, or by a block
    kColumns,  // it is kept: a warp takes neighbours along it, the warps of a block share the
               // reduced dims
  };
  Kind kind = kPoints;
  int folders = 1;  // threads that reduce one value together
  int lanes = 1;    // elements of a vector access, at most 16 bytes of each operand

  // Values that a block reduces at a time, or points that it computes at a time.
  int values_per_block() const {
    return kind == kPoints ? kBlockThreads * lanes : kBlockThreads / folders;
  }
};

DeviceShape device_shape(const KernelSpec& spec);

// The number of blocks for one pass over all points. `extents`: of all dims, also for an open
// kernel.
int64_t device_blocks(const KernelSpec& spec, std::span<const Dim> extents);
// Blocks per multiprocessor that a launch uses at most; more would only wait for each other.
inline constexpr int64_t kBlocksPerProcessor = 8;
// The limits of cut_into_chunks for a device with so many multiprocessors. `spec` is not open.
ChunkLimits device_limits(const KernelSpec& spec, int64_t processors);

}  // namespace msjit
