#include "kernels/core/words.h"
#include "kernels/cpu/running_total.h"

namespace msjit {

using namespace words;

namespace {

struct Fold {
  static constexpr int kStart = 0;
  static auto apply(auto total, auto x) { return total + x; }
};

}  // namespace

MSJIT_OP(cumsum)
    .doc("Running sum along an axis. Integers and bool add up in int64.")
    .signature("x: Tensor, axis: int")
    .numpy("np.cumsum(x, axis=axis)")
    .infer([](InferCtx& ctx) -> Status {
      MSJIT_TRY([[maybe_unused]] const int axis,
                ctx.axis(ctx.attrs[0].as_int(), ctx.in(0).shape.rank()));
      ctx.add_output(sum_dtype(ctx.in(0).dtype), ctx.in(0).shape);
      return {};
    })
    .traits(kComplex | kTotal)
    .cpu(running_total_kernel<Fold>)
    .vjp([](Vjp& v) {
      // The sum from each place to the end.
      const Val g = v.grad();
      const IntList axis{v.attrs[0].as_int()};
      v.set_grad(0, sum(g, AttrValue(axis), true) - call(*v.op, {g}, v.attrs) + g);
    })
    .sample({.shapes = {{3, 4}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=-2"});

}  // namespace msjit
