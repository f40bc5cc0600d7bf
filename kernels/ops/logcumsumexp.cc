#include <cmath>
#include <limits>

#include "kernels/core/checks.h"
#include "kernels/core/shift.h"
#include "kernels/cpu/running_total.h"

namespace msjit {

extern const OpDef op_linear_recurrence;
using namespace words;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// log(exp(a) + exp(b))
double log_of_sum(double a, double b) {
  if (a == b) return a + std::log(2.0);  // also where both are the same infinity
  const double high = std::max(a, b), low = std::min(a, b);
  return std::isnan(a) || std::isnan(b) ? a + b : high + std::log1p(std::exp(low - high));
}

struct Fold {
  static constexpr double kStart = -kInfinity;
  static double apply(double total, double x) { return log_of_sum(total, x); }
};

// a - b, and 0 for two equal infinities.
Val distance(const Val& a, const Val& b) {
  const Val plain = a - b;
  return where(equal(abs(a), kInfinity), where(equal(a, b), 0.0, plain), plain);
}

}  // namespace

MSJIT_OP(logcumsumexp)
    .doc("Logarithm of the running sum of exp(x) along an axis, without overflow.")
    .signature("x: Tensor, axis: int")
    .numpy("np.logaddexp.accumulate(x, axis=axis)")
    .infer([](InferCtx& ctx) -> Status {
      MSJIT_OK(require_float(ctx, ctx.in(0), "x"));
      MSJIT_TRY([[maybe_unused]] const int axis,
                ctx.axis(ctx.attrs[0].as_int(), ctx.in(0).shape.rank()));
      ctx.add_output(ctx.in(0).dtype, ctx.in(0).shape);
      return {};
    })
    .cpu([](KernelCtx& ctx) -> Status {
      MSJIT_TRY(const ReducePlan plan, plan_running(ctx));
      dispatch_dtype(ctx.in[0].dtype(), [&]<class T>(TypeTag<T>) {
        if constexpr (!std::is_integral_v<T>) run_totals<T, Fold>(plan, ctx.out[0]);
      });
      return {};
    })
    .vjp([](Vjp& v) {
      // By x[j] it is the sum of g[k] exp(x[j] - y[k]) over k >= j. As y never falls, no
      // exponential is of more than 0.
      const int64_t axis = v.attrs[0].as_int();
      const Val x = wide(v.in(0)), y = wide(v.out()), g = wide(v.grad());
      if (y.meta().shape.rank() == 0) return v.set_grad(0, v.grad());
      const Val factors = exp(distance(y, shifted(y, axis, -1, kInfinity)));
      const Val later =
          call(op_linear_recurrence, {factors, g}, {AttrValue(axis), AttrValue(true)});
      v.set_grad(0, exp(distance(x, y)) * later);
    })
    .sample({.shapes = {{3, 4}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=-2"});

}  // namespace msjit
