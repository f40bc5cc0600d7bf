#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/sorting.h"

namespace msjit {

extern const OpDef op_scatter_elements;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  Shape shape = x.shape;
  MSJIT_TRY(int axis, axis_of(ctx, ctx.attrs[1].as_int(), shape.rank()));
  int64_t k = ctx.attrs[0].as_int();
  if (k < 0 || k > shape[axis] || shape[axis] > INT32_MAX)
    return value_error("[{}] k out of range, got {}, expected 0 to {}", ctx.name(), k, shape[axis]);
  shape[axis] = k;
  ctx.add_output(x.dtype, shape);
  ctx.add_output(DType::kInt32, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  int axis = normal_axis(ctx.attrs[1].as_int(), ctx.in[0].rank());
  return sorting::order(ctx.in[0], axis, ctx.attrs[2].as_bool(), ctx.out[0], ctx.out[1]);
}

void vjp(Vjp& v) {
  v.set_grad(0, call(op_scatter_elements, {words::zeros_like(v.in(0)), v.out(1), v.grad()},
                     {v.attrs[1], AttrValue("add")}));
}

}  // namespace

MSJIT_OP(topk)
    .doc("The k largest (or smallest) elements along `axis`, best first, and their positions.")
    .signature("x: Tensor, k: int, axis: int = -1, largest: bool = True")
    .outputs(2)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{3, 5}}, .attrs = "k=2"})
    .sample({.shapes = {{3, 5}}, .attrs = "k=1, axis=0, largest=False"});

}  // namespace msjit
