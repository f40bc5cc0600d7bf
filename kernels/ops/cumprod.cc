#include "kernels/core/shift.h"
#include "kernels/cpu/running_total.h"

namespace msjit {

extern const OpDef op_linear_recurrence;
using namespace words;

namespace {

struct Fold {
  static constexpr int kStart = 1;
  static auto apply(auto total, auto x) { return total * x; }
};

}  // namespace

MSJIT_OP(cumprod)
    .doc("Running product along an axis. Integers and bool multiply in int64.")
    .signature("x: Tensor, axis: int")
    .numpy("np.cumprod(x, axis=axis)")
    .infer([](InferCtx& ctx) -> Status {
      MSJIT_TRY([[maybe_unused]] const int axis,
                ctx.axis(ctx.attrs[0].as_int(), ctx.in(0).shape.rank()));
      ctx.add_output(sum_dtype(ctx.in(0).dtype), ctx.in(0).shape);
      return {};
    })
    .traits(kComplex | kHolomorphic)
    .cpu(running_total_kernel<Fold>)
    .vjp([](Vjp& v) {
      // The gradient by x[j] is the product of all elements before j, times
      // s[j] = g[j] + x[j + 1] s[j + 1]. It holds where x is 0 too, because nothing is divided, and
      // so do its own derivatives.
      if (v.out().meta().shape.rank() == 0) return v.set_grad(0, v.grad());
      const int64_t axis = v.attrs[0].as_int();
      const Val after = call(op_linear_recurrence, {shifted(v.in(0), axis, -1, 0.0), v.grad()},
                             {AttrValue(axis), AttrValue(true)});
      v.set_grad(0, shifted(v.out(), axis, 1, 1.0) * after);
    })
    .sample({.shapes = {{3, 4}}, .low_high = {0.5, 2}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}}, .low_high = {0.5, 2}, .attrs = "axis=-2"});

}  // namespace msjit
