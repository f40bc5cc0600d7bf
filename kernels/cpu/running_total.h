// Running totals along one axis (cumsum, cumprod, logcumsumexp): element k of the result combines
// elements 0 to k of the input. Integers and bool wrap in 64 bits; floats and complex numbers are
// accumulated in double.
#pragma once

#include "kernels/cpu/reduce.h"

namespace msjit {

// Fold: static constexpr kStart, and static Acc apply(Acc, Acc) for the Acc of the dtypes that the
// operator takes, out of uint64_t, double and Complex128.
template <class T, class Fold>
void run_totals(const ReducePlan& plan, const Tensor& out) {
  using Out = SumType<T>;
  using Acc = std::conditional_t<std::is_integral_v<T>, uint64_t, SumTotal<T>>;
  for (int64_t o = 0; o < plan.outer; ++o) {
    for (int64_t i = 0; i < plan.inner; ++i) {
      Acc total = Fold::kStart;
      for (int64_t k = 0; k < plan.reduced; ++k) {
        const int64_t at = (o * plan.reduced + k) * plan.inner + i;
        total = Fold::apply(total, static_cast<Acc>(plan.input.data_as<T>()[at]));
        out.data_as<Out>()[at] = static_cast<Out>(total);
      }
    }
  }
}

// Input 0 seen along the axis that attribute 0 names.
inline Result<ReducePlan> plan_running(const KernelCtx& ctx) {
  const int64_t axis = ctx.attrs[0].as_int();
  const int rank = ctx.in[0].rank();
  return plan_reduce(ctx.in[0], rank == 0 ? IntList() : IntList{axis < 0 ? axis + rank : axis});
}

// The kernel of an operator whose attribute 0 is the axis.
template <class Fold>
Status running_total_kernel(KernelCtx& ctx) {
  MSJIT_TRY(const ReducePlan plan, plan_running(ctx));
  dispatch_any_dtype(ctx.in[0].dtype(),
                     [&]<class T>(TypeTag<T>) { run_totals<T, Fold>(plan, ctx.out[0]); });
  return {};
}

}  // namespace msjit
