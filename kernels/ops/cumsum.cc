#include "kernels/core/words.h"
#include "kernels/cpu/reduce.h"

namespace msjit {

using namespace words;

namespace {

template <class T>
void run_typed(const ReducePlan& plan, const Tensor& out) {
  using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  using Acc = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  for (int64_t o = 0; o < plan.outer; ++o) {
    for (int64_t i = 0; i < plan.inner; ++i) {
      Acc total = 0;
      for (int64_t k = 0; k < plan.reduced; ++k) {
        const int64_t at = (o * plan.reduced + k) * plan.inner + i;
        total += static_cast<Acc>(plan.input.data_as<T>()[at]);
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
    .cpu(run)
    .vjp([](Vjp& v) {
      // The sum from each place to the end.
      const Val g = v.grad();
      const IntList axis{v.attrs[0].as_int()};
      v.set_grad(0, sum(g, AttrValue(axis), true) - call(*v.op, {g}, v.attrs) + g);
    })
    .sample({.shapes = {{3, 4}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=-2"});

}  // namespace msjit
