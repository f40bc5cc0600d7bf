#include "kernels/core/words.h"
#include "kernels/cpu/reduce.h"

namespace msjit {

using namespace words;

namespace {

template <class T>
struct Fold {
  // Integers are multiplied in int64, other dtypes in their compute type and then in double.
  using Acc = std::conditional_t<std::is_integral_v<T>, int64_t, typename ComputeType<T>::type>;
  using Total = SumTotal<T>;
  using Out = SumType<T>;
  static Acc identity() { return 1; }
  static Acc apply(Acc a, Acc b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<Acc>(uint64_t(a) * uint64_t(b));
    else
      return a * b;
  }
  static Total merge(Total a, Acc b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<Total>(uint64_t(a) * uint64_t(b));
    else
      return a * static_cast<Total>(b);
  }
};

struct Folds {
  template <class T>
  using Of = Fold<T>;
};

}  // namespace

MSJIT_OP(prod)
    .doc("Product over the given axes (all by default). Integers and bool multiply in int64.")
    .signature("x: Tensor, axis: int[]? = None, keepdims: bool = False")
    .numpy("np.prod(x, axis=axis, keepdims=keepdims)")
    .reduction(ReduceKind::kProd)
    .infer([](InferCtx& ctx) { return reduce_infer(ctx, sum_dtype); })
    .traits(kComplex | kHolomorphic)
    .cpu(reduce_kernel<Folds, true>)
    .vjp([](Vjp& v) {
      // The slope is the product of the other factors: all nonzero ones but x, times the other
      // zeros. Of one zero, their product is written as the sum of all zeros but x, which has the
      // right slope too. Two zeros or more have the product 0, and its slope is 0.
      const Val& x = v.in(0);
      const Val is_zero = equal(x, 0.0);
      const Val safe = where(is_zero, ones_like(x), x);
      const Val zeros =
          spread_reduced(v, sum(cast(is_zero, x.dtype()), v.attrs[0], v.attrs[1].as_bool()));
      const Val others = spread_reduced(v, prod(safe, v.attrs[0], v.attrs[1].as_bool()));
      const Val own = where(is_zero, x, 0.0);
      const Val other_zeros = zeros - cast(is_zero, x.dtype());
      const Val sum_of_zeros = spread_reduced(v, sum(own, v.attrs[0], v.attrs[1].as_bool())) - own;
      const Val of_zeros =
          where(equal(other_zeros, 0.0), 1.0, where(equal(other_zeros, 1.0), sum_of_zeros, 0.0));
      v.set_grad(0, spread_reduced(v, v.grad()) * (others / safe * of_zeros));
    })
    .sample({.shapes = {{3, 4}}})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=(0, 2), keepdims=True"})
    .sample({.shapes = {{9}}, .low_high = {-9, 9}, .dtypes = {"int32"}});

}  // namespace msjit
