#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/indexing.h"
#include "kernels/device/indexing.h"

namespace msjit {

extern const OpDef op_scatter_elements;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_TRY(int axis, ctx.axis(ctx.attrs[0].as_int(), x.shape.rank()));
  MSJIT_OK(indexing::check_along_axis(ctx, x, ctx.in(1), axis));
  ctx.add_output(x.dtype, ctx.in(1).shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  return indexing::take_along_axis(ctx.op.name, ctx.in[0], ctx.in[1],
                                   normal_axis(ctx.attrs[0].as_int(), ctx.in[0].rank()),
                                   ctx.out[0]);
}

void vjp(Vjp& v) {
  if (!v.needs(0)) return;
  v.set_grad(0, call(op_scatter_elements, {words::zeros_like(v.in(0)), v.in(1), v.grad()},
                     {v.attrs[0], AttrValue("add")}));
}

}  // namespace

MSJIT_OP(gather_elements)
    .doc("out[i][j] = x[indices[i][j]][j] for axis 0, and so on: one element of x an index.")
    .traits(kComplex)
    .signature("x: Tensor, indices: Tensor, axis: int = 0")
    .numpy("np.take_along_axis(x, indices.astype(np.int64), axis)")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) {
      return devices::take_along_axis(ctx.op.name, ctx.in[0], ctx.in[1],
                                      normal_axis(ctx.attrs[0].as_int(), ctx.in[0].rank()),
                                      ctx.out[0]);
    })
    .vjp(vjp)
    .sample({.shapes = {{3, 2}, {4, 2}}, .low_high = {0, 2}, .dtypes = {"float32", "int64"}})
    .sample({.shapes = {{2, 3}, {2, 2}},
             .low_high = {0, 2},
             .attrs = "axis=-1",
             .dtypes = {"float32", "int32"}});

}  // namespace msjit
