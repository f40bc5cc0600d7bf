#include "kernels/cpu/fill.h"

#include <algorithm>

#include "kernels/core/scalar_num.h"

namespace msjit {

Result<Shape> shape_attr(InferCtx& ctx, const AttrValue& value) {
  const IntList& dims = value.as_list();
  if (dims.size() > kMaxRank)
    return value_error("[{}] number of dimensions, got {}, expected at most {}", ctx.name(),
                       dims.size(), kMaxRank);
  for (int64_t d : dims)
    if (d < 0)
      return value_error("[{}] size of a dimension, got {}, expected at least 0", ctx.name(), d);
  return Shape(std::span<const int64_t>(dims));
}

Status filled_infer(InferCtx& ctx) {
  MSJIT_TRY(const Shape shape, shape_attr(ctx, ctx.attrs[0]));
  ctx.add_output(ctx.attrs[1].as_dtype(), shape);
  return {};
}

Status full_infer(InferCtx& ctx) {
  MSJIT_TRY(const Shape shape, shape_attr(ctx, ctx.attrs[0]));
  const AttrValue &value = ctx.attrs[1], &dtype = ctx.attrs[2];
  const DType natural = value.kind() == AttrValue::Kind::kBool    ? DType::kBool
                        : value.kind() == AttrValue::Kind::kFloat ? DType::kFloat32
                                                                  : DType::kInt64;
  ctx.add_output(dtype.is_none() ? natural : dtype.as_dtype(), shape);
  return {};
}

Status fill(const Tensor& out, const AttrValue& value) {
  dispatch_any_dtype(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = typename ComputeType<T>::type;
    const C number = value.kind() == AttrValue::Kind::kFloat ? convert_value<C>(value.as_float())
                                                             : convert_value<C>(value.as_int());
    std::fill_n(out.data_as<T>(), out.numel(), static_cast<T>(number));
  });
  return {};
}

}  // namespace msjit
