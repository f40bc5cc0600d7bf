// Checks that many infer rules share; each has one error text.
#pragma once

#include "kernels/core/op.h"

namespace msjit {

inline Status require_float(const InferCtx& ctx, const Meta& meta, const char* param) {
  if (is_float(meta.dtype)) return {};
  return type_error("[{}] {} has an unsupported dtype, got {}, expected a float", ctx.name(), param,
                    dtype_name(meta.dtype));
}

inline Status require_integer(const InferCtx& ctx, const Meta& meta, const char* param) {
  if (is_integer(meta.dtype)) return {};
  return type_error("[{}] {} has an unsupported dtype, got {}, expected an integer", ctx.name(),
                    param, dtype_name(meta.dtype));
}

inline Status require_dtype(const InferCtx& ctx, const Meta& meta, DType dtype, const char* param) {
  if (meta.dtype == dtype) return {};
  return type_error("[{}] {} has a wrong dtype, got {}, expected {}", ctx.name(), param,
                    dtype_name(meta.dtype), dtype_name(dtype));
}

inline Status require_byte(const InferCtx& ctx, const Meta& meta, const char* param) {
  if (meta.dtype == DType::kInt8 || meta.dtype == DType::kUInt8) return {};
  return type_error("[{}] {} has a wrong dtype, got {}, expected int8 or uint8", ctx.name(), param,
                    dtype_name(meta.dtype));
}

inline Status require_rank(const InferCtx& ctx, const Meta& meta, int rank, const char* param) {
  if (meta.shape.rank() == rank) return {};
  return value_error("[{}] {} has a wrong rank, got {}, expected {}", ctx.name(), param,
                     meta.shape.rank(), rank);
}

inline Status require_shape(const InferCtx& ctx, const Meta& meta, const Shape& shape,
                            const char* param) {
  bool same = meta.shape.rank() == shape.rank();
  if (same)
    for (int i = 0; i < shape.rank(); ++i) MSJIT_OK(ctx.require_eq(meta.shape[i], shape[i], param));
  if (same) return {};
  return value_error("[{}] {} has a wrong shape, got {}, expected {}", ctx.name(), param,
                     meta.shape.str(), shape.str());
}

// A shape attribute: at most kMaxRank sizes, none negative.
inline Result<Shape> shape_of(const InferCtx& ctx, const AttrValue& sizes, const char* param) {
  const IntList& list = sizes.as_list();
  if (list.size() > kMaxRank)
    return value_error("[{}] {} has too many dimensions, got {}, expected at most {}", ctx.name(),
                       param, list.size(), kMaxRank);
  for (int64_t size : list)
    if (size < 0)
      return value_error("[{}] {} must not be negative, got {}", ctx.name(), param, sizes.str());
  Shape shape{std::span<const Dim>(list)};
  if (checked_numel(shape) < 0)
    return memory_error("[{}] too many elements, got shape {}", ctx.name(), shape.str());
  return shape;
}

// An axis attribute an infer rule has accepted.
inline int normal_axis(int64_t axis, int rank) {
  return static_cast<int>(axis < 0 ? axis + (rank ? rank : 1) : axis);
}

// InferCtx::axis() for ops that make no sense on a 0-d tensor.
inline Result<int> axis_of(const InferCtx& ctx, int64_t axis, int rank) {
  if (rank == 0)
    return value_error("[{}] x has a wrong rank, got 0, expected at least 1", ctx.name());
  return ctx.axis(axis, rank);
}

}  // namespace msjit
