// A fused kernel may reduce a group of points and then read these points again in a later stage
// (softmax does). That pays only while the group is still in the caches.
#pragma once

#include "kernels/core/shape.h"

namespace msjit {

// Whether the points of `space` that are reduced together are few enough for that. Bit i of
// `reduced`: dim i is reduced. False when each point is reduced alone.
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
