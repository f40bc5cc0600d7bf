// How far apart points of an array may be that a fused kernel folds together and then walks again.
#pragma once

#include "kernels/core/shape.h"

namespace msjit {

// Whether the points of `space` that are folded together (bit i of `reduced`: along dim i) are few
// enough to be found in the caches again. False where a point is folded alone.
inline bool stages_fit(const Shape& space, uint32_t reduced) {
  constexpr int64_t kMaxFolded = 1 << 15;         // float32: a part of the second-level cache
  constexpr int64_t kMaxFoldedByColumn = 1 << 8;  // some vectors of columns go side by side
  if (space.rank() == 0) return false;
  int64_t folded = 1;
  for (int d = 0; d < space.rank(); ++d)
    if ((reduced >> d) & 1) folded *= space[d];
  const bool by_column = !((reduced >> (space.rank() - 1)) & 1);
  return folded > 1 && space.numel() > 0 && folded <= (by_column ? kMaxFoldedByColumn : kMaxFolded);
}

}  // namespace msjit
