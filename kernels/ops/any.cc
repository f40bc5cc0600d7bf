#include "kernels/core/words.h"
#include "kernels/cpu/reduce.h"

namespace msjit {

namespace {

template <class T>
struct Fold {
  struct Truth {  // a lane; made from an element by static_cast
    bool v = false;
    Truth() = default;
    explicit Truth(T x) : v(static_cast<typename ComputeType<T>::type>(x) != 0) {}
    explicit operator bool() const { return v; }
  };
  using Acc = Truth;
  using Total = Truth;
  static Acc identity() { return {}; }
  static Acc apply(Acc a, Acc b) {
    a.v = a.v || b.v;
    return a;
  }
  static Total merge(Total a, Acc b) { return apply(a, b); }
};

Status run(KernelCtx& ctx) {
  MSJIT_TRY(const ReducePlan plan,
            plan_reduce(ctx.in[0], reduce_axes(ctx.attrs, ctx.in[0].rank())));
  dispatch_dtype(ctx.in[0].dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Out = bool;
    Reducer<T, Out, Fold<T>>::run(plan, ctx.out[0].data_as<Out>());
  });
  return {};
}

}  // namespace

MSJIT_OP(any)
    .doc("Whether some element over the given axes is true.")
    .signature("x: Tensor, axis: int[]? = None, keepdims: bool = False")
    .numpy("np.any(x, axis=axis, keepdims=keepdims)")
    .infer([](InferCtx& ctx) { return reduce_infer(ctx, bool_dtype); })
    .cpu(run)
    .no_grad()
    .sample({.shapes = {{3, 4}}})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=(0, 2), keepdims=True"})
    .sample({.shapes = {{9}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
