#include "kernels/core/words.h"
#include "kernels/cpu/reduce.h"

namespace msjit {

using namespace words;

namespace {

template <class T>
struct Fold {
  // Integers are added up in int64, other dtypes in their compute type and then in double.
  using Acc = std::conditional_t<std::is_integral_v<T>, int64_t, typename ComputeType<T>::type>;
  using Total = SumTotal<T>;
  using Out = SumType<T>;
  static Acc identity() { return 0; }
  static Acc apply(Acc a, Acc b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<Acc>(uint64_t(a) + uint64_t(b));
    else
      return a + b;
  }
  static Total merge(Total a, Acc b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<Total>(uint64_t(a) + uint64_t(b));
    else
      return a + static_cast<Total>(b);
  }
};

struct Folds {
  template <class T>
  using Of = Fold<T>;
};

}  // namespace

MSJIT_OP(sum)
    .doc(
        "Sum over the given axes (all by default). Bool and integers up to 64 signed bits add up "
        "in int64.")
    .signature("x: Tensor, axis: int[]? = None, keepdims: bool = False")
    .numpy("np.sum(x, axis=axis, keepdims=keepdims)")
    .reduction(ReduceKind::kSum)
    .infer([](InferCtx& ctx) { return reduce_infer(ctx, sum_dtype); })
    .traits(kComplex)
    .cpu(reduce_kernel<Folds, true>)
    .vjp([](Vjp& v) { v.set_grad(0, spread_reduced(v, v.grad())); })
    .sample({.shapes = {{3, 4}}})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=(0, 2), keepdims=True"})
    .sample({.shapes = {{9}}, .low_high = {-9, 9}, .dtypes = {"int32"}})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=1", .dtypes = {"complex64"}});

}  // namespace msjit
