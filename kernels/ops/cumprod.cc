#include "kernels/core/words.h"
#include "kernels/cpu/running_total.h"

namespace msjit {

extern const OpDef op_cumsum;
using namespace words;

namespace {

struct Fold {
  static constexpr int kStart = 1;
  static auto apply(auto total, auto x) { return total * x; }
};

}  // namespace

MSJIT_OP(cumprod)
    .doc(
        "Running product along an axis. Integers and bool multiply in int64. The gradient divides "
        "by x, so it is NaN where x is 0.")
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
      // The sum of gradient times result from each place to the end, over x.
      const Val g = v.grad() * v.out();
      const IntList axis{v.attrs[0].as_int()};
      const Val tail = sum(g, AttrValue(axis), true) - call(op_cumsum, {g}, v.attrs) + g;
      v.set_grad(0, tail / v.in(0));
    })
    .sample({.shapes = {{3, 4}}, .low_high = {0.5, 2}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}}, .low_high = {0.5, 2}, .attrs = "axis=-2"});

}  // namespace msjit
