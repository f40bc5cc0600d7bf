#include "kernels/core/checks.h"
#include "kernels/core/shift.h"
#include "kernels/cpu/running_total.h"

namespace msjit {

using namespace words;

namespace {

template <class T>
void recur(const ReducePlan& factors, const Tensor& terms, bool reverse, const Tensor& out) {
  using Total = SumTotal<T>;
  const int64_t n = factors.reduced, inner = factors.inner;
  const T *a = factors.input.data_as<T>(), *b = terms.data_as<T>();
  for (int64_t o = 0; o < factors.outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      Total y = 0;
      for (int64_t k = 0; k < n; ++k) {
        const int64_t at = (o * n + (reverse ? n - 1 - k : k)) * inner + i;
        y = static_cast<Total>(a[at]) * y + static_cast<Total>(b[at]);
        out.data_as<T>()[at] = static_cast<T>(y);
      }
    }
  }
}

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(const ReducePlan factors, plan_running(ctx));
  MSJIT_TRY(const Tensor terms, ctx.in[1].to_contiguous());
  dispatch_any_dtype(ctx.in[0].dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (!std::is_integral_v<T>)
      recur<T>(factors, terms, ctx.attrs[1].as_bool(), ctx.out[0]);
  });
  return {};
}

Status infer(InferCtx& ctx) {
  const Meta &factors = ctx.in(0), &terms = ctx.in(1);
  if (!is_inexact(factors.dtype))
    return type_error("[{}] factors have an unsupported dtype, got {}, expected a float or complex",
                      ctx.name(), dtype_name(factors.dtype));
  MSJIT_OK(require_dtype(ctx, terms, factors.dtype, "terms"));
  MSJIT_OK(require_shape(ctx, terms, factors.shape, "terms"));
  MSJIT_TRY([[maybe_unused]] const int axis, ctx.axis(ctx.attrs[0].as_int(), factors.shape.rank()));
  ctx.add_output(factors.dtype, factors.shape);
  return {};
}

}  // namespace

MSJIT_OP(linear_recurrence)
    .doc(
        "y[k] = factors[k] y[k - 1] + terms[k] along an axis, from y[-1] = 0. With `reverse`, "
        "y[k] = factors[k] y[k + 1] + terms[k] from the end.")
    .signature("factors: Tensor, terms: Tensor, axis: int, reverse: bool = False")
    .infer(infer)
    .traits(kComplex | kHolomorphic)
    .cpu(kernel)
    .vjp([](Vjp& v) {
      // The gradient by the terms obeys the recurrence in the other direction.
      const bool reverse = v.attrs[1].as_bool();
      const int64_t axis = v.attrs[0].as_int();
      const Attrs back{AttrValue(axis), AttrValue(!reverse)};
      const Val terms =
          call(*v.op, {shifted(v.in(0), axis, reverse ? 1 : -1, 0.0), v.grad()}, back);
      v.set_grad(1, terms);
      if (v.needs(0)) v.set_grad(0, terms * shifted(v.out(), axis, reverse ? -1 : 1, 0.0));
    })
    .sample({.shapes = {{3, 4}, {3, 4}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}, {3, 4, 2}}, .attrs = "axis=-2, reverse=True"});

}  // namespace msjit
