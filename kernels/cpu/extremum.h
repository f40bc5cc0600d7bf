// What max, min, argmax and argmin share. kLargest: the maximum, else the minimum. A NaN wins in
// both.
#pragma once

#include <limits>

#include "kernels/core/words.h"
#include "kernels/cpu/reduce.h"

namespace msjit {

template <bool kLargest, class C>
bool is_beyond(C a, C b) {
  return kLargest ? a > b : a < b;
}

template <class T, bool kLargest>
struct ExtremumFold {
  using Acc = typename ComputeType<T>::type;
  using Total = Acc;
  using Out = T;
  static Acc identity() {
    using L = std::numeric_limits<Acc>;
    if (L::has_infinity) return static_cast<Acc>(kLargest ? -L::infinity() : L::infinity());
    return kLargest ? L::lowest() : L::max();
  }
  // A NaN on either side wins.
  static Acc apply(Acc a, Acc b) { return a != a || is_beyond<kLargest>(a, b) ? a : b; }
  static Total merge(Total a, Acc b) { return apply(a, b); }
};

// Equal extremes share the gradient.
inline void extremum_vjp(Vjp& v) {
  using namespace words;
  const Val at = equal(v.in(0), spread_reduced(v, v.out()));
  const Val mask = cast(at, v.in(0).dtype());
  const Val count = spread_reduced(v, sum(mask, v.attrs[0], v.attrs[1].as_bool()));
  v.set_grad(0, spread_reduced(v, v.grad()) * mask / count);
}

// The index of the first extreme along attribute 0's axis, or of the flattened tensor.
Status arg_extremum_infer(InferCtx& ctx);
Result<ReducePlan> plan_arg_extremum(const KernelCtx& ctx);
// The kernel for a device.
Status arg_extremum_on_device(KernelCtx& ctx, bool largest);

template <bool kLargest>
Status arg_extremum_kernel(KernelCtx& ctx) {
  MSJIT_TRY(const ReducePlan plan, plan_arg_extremum(ctx));
  int64_t* out = ctx.out[0].data_as<int64_t>();
  auto first_extreme = [&]<class T>(const T* p) {
    using C = typename ComputeType<T>::type;
    int64_t best = 0;
    C value = p[0];
    for (int64_t i = 1; i < plan.reduced && value == value; ++i) {
      const C candidate = p[i * plan.inner];
      if (!is_beyond<kLargest>(candidate, value) && candidate == candidate) continue;
      best = i;
      value = candidate;
    }
    return best;
  };
  dispatch_dtype(ctx.in[0].dtype(), [&]<class T>(TypeTag<T>) {
    const T* data = plan.input.data_as<T>();
    for (int64_t o = 0; o < plan.outer; ++o)
      for (int64_t i = 0; i < plan.inner; ++i)
        *out++ = first_extreme(data + o * plan.reduced * plan.inner + i);
  });
  return {};
}

}  // namespace msjit
