#include "kernels/cpu/reduce.h"

#include "kernels/core/words.h"

namespace msjit {

IntList reduce_axes(const Attrs& attrs, int rank) {
  IntList axes;
  if (rank == 0) return axes;  // its axes 0 and -1 name nothing
  // As InferCtx::axes has it, an empty list means all axes.
  if (attrs[0].is_none() || attrs[0].as_list().empty()) {
    for (int i = 0; i < rank; ++i) axes.push_back(i);
    return axes;
  }
  bool chosen[kMaxRank] = {};
  for (int64_t a : attrs[0].as_list()) chosen[a < 0 ? a + rank : a] = true;
  for (int i = 0; i < rank; ++i)
    if (chosen[i]) axes.push_back(i);
  return axes;
}

Status reduce_infer(InferCtx& ctx, DType (*result)(DType)) {
  const Meta& in = ctx.in(0);
  MSJIT_TRY(const IntList axes, ctx.axes(ctx.attrs[0], in.shape.rank()));
  const bool keep = ctx.attrs[1].as_bool();
  bool reduced[kMaxRank] = {};
  for (int64_t a : axes) reduced[a] = true;
  Shape shape;
  for (int i = 0; i < in.shape.rank(); ++i) {
    if (!reduced[i])
      shape.push_back(in.shape[i]);
    else if (keep)
      shape.push_back(1);
  }
  ctx.add_output(result(in.dtype), shape);
  return {};
}

Status extremum_infer(InferCtx& ctx, DType (*result)(DType)) {
  MSJIT_OK(reduce_infer(ctx, result));
  const Shape& shape = ctx.in(0).shape;
  for (int64_t a : reduce_axes(ctx.attrs, shape.rank()))
    if (shape[static_cast<int>(a)] == 0)
      return value_error(
          "[{}] cannot reduce an empty axis, got shape {}, expected at least one element along "
          "axis {}",
          ctx.name(), shape.str(), a);
  return {};
}

Val spread_reduced(Vjp& v, const Val& reduced) {
  const Shape& shape = v.in(0).shape();
  Shape kept = shape;
  for (int64_t a : reduce_axes(v.attrs, shape.rank())) kept[static_cast<int>(a)] = 1;
  return words::broadcast_to(words::reshape(reduced, kept), shape);
}

Result<ReducePlan> plan_reduce(const Tensor& input, const IntList& axes) {
  ReducePlan plan;
  const int rank = input.rank();
  bool reduced[kMaxRank] = {};
  for (int64_t a : axes) reduced[a] = true;
  const bool adjacent =
      axes.empty() || axes.back() - axes[0] + 1 == static_cast<int64_t>(axes.size());
  if (adjacent) {
    MSJIT_TRY(plan.input, input.to_contiguous());
    for (int i = 0; i < rank; ++i) {
      const bool before = !axes.empty() && i < axes[0];
      (reduced[i] ? plan.reduced : before ? plan.outer : plan.inner) *= input.dim(i);
    }
    if (axes.empty()) std::swap(plan.outer, plan.inner);
    return plan;
  }
  Shape shape, strides;
  for (const bool wanted : {false, true}) {
    for (int i = 0; i < rank; ++i) {
      if (reduced[i] != wanted) continue;
      shape.push_back(input.dim(i));
      strides.push_back(input.strides()[i]);
      (wanted ? plan.reduced : plan.outer) *= input.dim(i);
    }
  }
  MSJIT_TRY(plan.input, Tensor::view(input, shape, strides, 0).to_contiguous());
  return plan;
}

}  // namespace msjit
