#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/sorting.h"

namespace msjit {

extern const OpDef op_scatter_elements;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_TRY(int axis, ctx.axis(ctx.attrs[0].as_int(), x.shape.rank()));
  if (x.shape.rank() && x.shape[axis] > INT32_MAX)
    return value_error("[{}] axis is too long, got {}, expected at most {}", ctx.name(),
                       x.shape[axis], INT32_MAX);
  ctx.add_output(x.dtype, x.shape);
  ctx.add_output(DType::kInt32, x.shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  int axis = normal_axis(ctx.attrs[0].as_int(), ctx.in[0].rank());
  return sorting::order(ctx.in[0], axis, ctx.attrs[1].as_bool(), ctx.out[0], ctx.out[1]);
}

void vjp(Vjp& v) {
  v.set_grad(0, call(op_scatter_elements, {words::zeros_like(v.in(0)), v.out(1), v.grad()},
                     {v.attrs[0], AttrValue("add")}));
}

}  // namespace

MSJIT_OP(sort)
    .doc(
        "Elements in order along `axis`, and the positions they came from. Stable; NaN is "
        "greatest.")
    .signature("x: Tensor, axis: int = -1, descending: bool = False")
    .outputs(2)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{3, 5}}})
    .sample({.shapes = {{3, 5}}, .attrs = "axis=0, descending=True"});

}  // namespace msjit
