// What the infer rules of collective operators check. `msjit.communication` gives them good
// arguments; others get an error.
#pragma once

#include "kernels/processes/calls.h"

namespace msjit {

inline Status require_between(const InferCtx& ctx, int64_t value, int64_t first, int64_t last,
                              const char* what) {
  if (first <= value && value <= last) return {};
  return value_error("[{}] {}, got {}, expected one from {} to {}", ctx.name(), what, value, first,
                     last);
}

inline constexpr int64_t kMostMembers = 1 << 20;
inline constexpr int64_t kLastReduction = 3;  // Reduction::kProd

inline Status require_counts(const InferCtx& ctx, const AttrValue& counts, const char* what) {
  for (const int64_t count : counts.as_list())
    MSJIT_OK(require_between(ctx, count, 0, int64_t{1} << 40, what));
  return require_between(ctx, static_cast<int64_t>(counts.as_list().size()), 0, kMostMembers, what);
}

// Adds the outputs of a call on the host: its result, and its number.
inline Status add_result(InferCtx& ctx, const Meta& x, const Shape& shape) {
  MSJIT_OK(require_host(x));
  if (checked_numel(shape) < 0)
    return memory_error("[{}] too many elements, got shape {}", ctx.name(), shape.str());
  ctx.add_output(x.dtype, shape);
  ctx.add_output(DType::kInt64, Shape{});
  return {};
}

}  // namespace msjit
