#include "kernels/cpu/truth_fold.h"

namespace msjit {

namespace {

struct Folds {
  template <class T>
  using Of = TruthFold<T, false>;
};

}  // namespace

MSJIT_OP(any)
    .doc("Whether some element over the given axes is true.")
    .signature("x: Tensor, axis: int[]? = None, keepdims: bool = False")
    .numpy("np.any(x, axis=axis, keepdims=keepdims)")
    .reduction(ReduceKind::kSum)  // of bool: or
    .infer([](InferCtx& ctx) { return reduce_infer(ctx, bool_dtype); })
    .traits(kComplex)
    .cpu(reduce_kernel<Folds, true>)
    .no_grad()
    .sample({.shapes = {{3, 4}}})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=(0, 2), keepdims=True"})
    .sample({.shapes = {{9}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
