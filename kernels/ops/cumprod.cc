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
      // Before the first 0 of a row: the sum of gradient times result from each place to the end,
      // over x. At that 0: the same with 1 in its place. After it: 0.
      const Val& x = v.in(0);
      const IntList axis{v.attrs[0].as_int()};
      const auto tail = [&](const Val& result) {
        const Val g = v.grad() * result;
        return sum(g, AttrValue(axis), true) - call(op_cumsum, {g}, v.attrs) + g;
      };
      const Val zero = equal(x, 0.0);
      const Val zeros_so_far = call(op_cumsum, {cast(zero, DType::kInt64)}, v.attrs);
      const Val nonzero = where(zero, 1.0, x);
      const Val first = where(equal(zeros_so_far, 1.0), nonzero, x);
      const Val at_zero = where(zero, tail(call(*v.op, {first}, v.attrs)), 0.0);
      const Val before = tail(v.out()) / nonzero;
      v.set_grad(0, where(equal(zeros_so_far, 0.0), before,
                          where(equal(zeros_so_far, 1.0), at_zero, 0.0)));
    })
    .sample({.shapes = {{3, 4}}, .low_high = {0.5, 2}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}}, .low_high = {0.5, 2}, .attrs = "axis=-2"});

}  // namespace msjit
