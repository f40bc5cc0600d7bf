#include "kernels/cpu/extremum.h"

namespace msjit {
namespace {

IntList axis_of(const Attrs& attrs, int rank) {
  if (rank == 0) return {};
  if (attrs[0].is_none()) return reduce_axes(attrs, rank);
  const int64_t axis = attrs[0].as_int();
  return {axis < 0 ? axis + rank : axis};
}

}  // namespace

Result<ReducePlan> plan_arg_extremum(const KernelCtx& ctx) {
  return plan_reduce(ctx.in[0], axis_of(ctx.attrs, ctx.in[0].rank()));
}

Status arg_extremum_infer(InferCtx& ctx) {
  const Shape& in = ctx.in(0).shape;
  IntList axes;
  if (ctx.attrs[0].is_none()) {
    for (int i = 0; i < in.rank(); ++i) axes.push_back(i);
  } else {
    MSJIT_TRY(const int axis, ctx.axis(ctx.attrs[0].as_int(), in.rank()));
    if (in.rank() > 0) axes.push_back(axis);
  }
  Shape shape = in;
  for (size_t k = axes.size(); k-- > 0;) {
    const int axis = static_cast<int>(axes[k]);
    if (in[axis] == 0)
      return value_error(
          "[{}] cannot reduce an empty axis, got shape {}, expected at least one element along "
          "axis {}",
          ctx.name(), in.str(), axis);
    if (ctx.attrs[1].as_bool())
      shape[axis] = 1;
    else
      shape.erase(axis);
  }
  ctx.add_output(DType::kInt64, shape);
  return {};
}

}  // namespace msjit
