#include "kernels/cpu/extremum.h"

#include "kernels/device/routine.h"

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

namespace {

// One thread per result. Key: dtype, whether the maximum is wanted, small numbers.
void arg_extremum_routine(devices::RoutineMaker& m, const devices::RoutineKey& key) {
  const auto dtype = static_cast<DType>(key[0]);
  m.use_small_numbers(key[2]);
  const Sym i = m.point(), inner = m.number(0), count = m.number(1);
  const Sym start = m.divide(i, inner) * count * inner + m.modulo(i, inner);
  const auto best = m.variable(m.load(0, dtype, start));
  const auto at = m.variable(m.whole(0));
  m.loop(m.whole(1), count, [&](Sym k) {
    const Sym candidate = m.load(0, dtype, start + k * inner), known = m.get(best);
    Sym better = key[1] ? candidate > known : candidate < known;
    if (is_float(dtype)) better = better | ((candidate != candidate) & (known == known));
    m.when(better, [&] {
      m.set(best, candidate);
      m.set(at, k);
    });
  });
  m.store(1, DType::kInt64, i, m.get(at));
}

}  // namespace

Status arg_extremum_on_device(KernelCtx& ctx, bool largest) {
  MSJIT_TRY(const ReducePlan plan, plan_arg_extremum(ctx));
  if (is_bool(plan.input.dtype()))
    return not_implemented_error("[{}] bool on a device", ctx.op.name);
  return devices::launch(
      devices::open_context(ctx.out[0].device()), arg_extremum_routine,
      {static_cast<int64_t>(plan.input.dtype()), largest, devices::are_small({plan.input.numel()})},
      {plan.input.data(), ctx.out[0].data()}, {plan.inner, plan.reduced}, plan.outer * plan.inner);
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
