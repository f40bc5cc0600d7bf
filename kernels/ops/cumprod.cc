#include "kernels/core/words.h"
#include "kernels/cpu/reduce.h"

namespace msjit {

extern const OpDef op_cumsum;
using namespace words;

namespace {

template <class T>
void run_typed(const ReducePlan& plan, const Tensor& out) {
  using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  using Acc = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  for (int64_t o = 0; o < plan.outer; ++o) {
    for (int64_t i = 0; i < plan.inner; ++i) {
      Acc total = 1;
      for (int64_t k = 0; k < plan.reduced; ++k) {
        const int64_t at = (o * plan.reduced + k) * plan.inner + i;
        total *= static_cast<Acc>(plan.input.data_as<T>()[at]);
        out.data_as<Out>()[at] = static_cast<Out>(total);
      }
    }
  }
}

Status run(KernelCtx& ctx) {
  const int64_t axis = ctx.attrs[0].as_int();
  const int rank = ctx.in[0].rank();
  const IntList axes = rank == 0 ? IntList() : IntList{axis < 0 ? axis + rank : axis};
  MSJIT_TRY(const ReducePlan plan, plan_reduce(ctx.in[0], axes));
  dispatch_dtype(ctx.in[0].dtype(),
                 [&](auto tag) { run_typed<typename decltype(tag)::type>(plan, ctx.out[0]); });
  return {};
}

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
    .cpu(run)
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
