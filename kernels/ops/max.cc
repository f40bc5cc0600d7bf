#include "kernels/core/words.h"
#include "kernels/cpu/reduce.h"

#include <limits>

namespace msjit {

using namespace words;

namespace {

template <class T>
struct Fold {
  using Acc = typename ComputeType<T>::type;
  using Total = Acc;
  static Acc identity() {
    using L = std::numeric_limits<Acc>;
    return L::has_infinity ? static_cast<Acc>(-L::infinity()) : L::lowest();
  }
  // A NaN on either side wins.
  static Acc apply(Acc a, Acc b) { return a != a || a > b ? a : b; }
  static Total merge(Total a, Acc b) { return apply(a, b); }
};

Status run(KernelCtx& ctx) {
  MSJIT_TRY(const ReducePlan plan,
            plan_reduce(ctx.in[0], reduce_axes(ctx.attrs, ctx.in[0].rank())));
  dispatch_dtype(ctx.in[0].dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Out = T;
    Reducer<T, Out, Fold<T>>::run(plan, ctx.out[0].data_as<Out>());
  });
  return {};
}

// A reduced value or gradient, spread over the input's shape again.
Val spread(Vjp& v, const Val& reduced) {
  const Shape& shape = v.in(0).shape();
  Shape kept = shape;
  for (int64_t a : reduce_axes(v.attrs, shape.rank())) kept[static_cast<int>(a)] = 1;
  return broadcast_to(reshape(reduced, kept), shape);
}

}  // namespace

MSJIT_OP(max)
    .doc("Largest element over the given axes (all by default); NaN where there is one.")
    .signature("x: Tensor, axis: int[]? = None, keepdims: bool = False")
    .numpy("np.max(x, axis=axis, keepdims=keepdims)")
    .reduction(ReduceKind::kMax)
    .infer([](InferCtx& ctx) { return extremum_infer(ctx, same_dtype); })
    .cpu(run)
    .vjp([](Vjp& v) {
      // Equal extremes share the gradient.
      const Val mask = cast(equal(v.in(0), spread(v, v.out())), v.in(0).dtype());
      const Val count = spread(v, sum(mask, v.attrs[0], v.attrs[1].as_bool()));
      v.set_grad(0, spread(v, v.grad()) * mask / count);
    })
    .sample({.shapes = {{3, 4}}})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=(0, 2), keepdims=True"})
    .sample({.shapes = {{9}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
