#include "kernels/cpu/extremum.h"

namespace msjit {

namespace {

struct Folds {
  template <class T>
  using Of = ExtremumFold<T, true>;
};

}  // namespace

MSJIT_OP(max)
    .doc("Largest element over the given axes (all by default); NaN where there is one.")
    .signature("x: Tensor, axis: int[]? = None, keepdims: bool = False")
    .numpy("np.max(x, axis=axis, keepdims=keepdims)")
    .reduction(ReduceKind::kMax)
    .infer([](InferCtx& ctx) { return extremum_infer(ctx, same_dtype); })
    .cpu(reduce_kernel<Folds>)
    .vjp(extremum_vjp)
    .sample({.shapes = {{3, 4}}})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=(0, 2), keepdims=True"})
    .sample({.shapes = {{9}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
