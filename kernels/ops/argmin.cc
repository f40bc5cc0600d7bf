#include "kernels/cpu/reduce.h"

namespace msjit {

namespace {

template <class T>
int64_t first_extreme(const T* p, int64_t n, int64_t stride) {
  using C = typename ComputeType<T>::type;
  int64_t best = 0;
  C value = p[0];
  for (int64_t i = 1; i < n && value == value; ++i) {  // a NaN is the extreme
    const C candidate = p[i * stride];
    if (candidate < value || candidate != candidate) {
      best = i;
      value = candidate;
    }
  }
  return best;
}

IntList axis_of(const Attrs& attrs, int rank) {
  if (rank == 0) return {};
  if (attrs[0].is_none()) return reduce_axes(attrs, rank);
  const int64_t axis = attrs[0].as_int();
  return {axis < 0 ? axis + rank : axis};
}

Status run(KernelCtx& ctx) {
  MSJIT_TRY(const ReducePlan plan, plan_reduce(ctx.in[0], axis_of(ctx.attrs, ctx.in[0].rank())));
  int64_t* out = ctx.out[0].data_as<int64_t>();
  dispatch_dtype(ctx.in[0].dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* data = plan.input.data_as<T>();
    for (int64_t o = 0; o < plan.outer; ++o)
      for (int64_t i = 0; i < plan.inner; ++i)
        out[o * plan.inner + i] =
            first_extreme(data + o * plan.reduced * plan.inner + i, plan.reduced, plan.inner);
  });
  return {};
}

Status infer(InferCtx& ctx) {
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

}  // namespace

MSJIT_OP(argmin)
    .doc(
        "Index of the first smallest element along an axis, or of the flattened tensor; the first "
        "NaN where there is one.")
    .signature("x: Tensor, axis: int? = None, keepdims: bool = False")
    .numpy("np.argmin(x, axis=axis)")
    .infer(infer)
    .cpu(run)
    .no_grad()
    .sample({.shapes = {{3, 4}}})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=1"});

}  // namespace msjit
