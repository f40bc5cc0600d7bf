#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/indexing.h"
#include "kernels/device/indexing.h"

namespace msjit {

extern const OpDef op_index_update;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_TRY(int axis, ctx.axis(ctx.attrs[0].as_int(), x.shape.rank()));
  MSJIT_TRY(Shape shape, indexing::infer_shape(ctx, x.shape, 1, {axis}));
  ctx.add_output(x.dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  int64_t axis = normal_axis(ctx.attrs[0].as_int(), ctx.in[0].rank());
  return indexing::take(ctx.op.name, ctx.in[0], ctx.in.subspan(1, 1), {axis}, ctx.out[0]);
}

void vjp(Vjp& v) {
  if (!v.needs(0)) return;
  int64_t axis = normal_axis(v.attrs[0].as_int(), v.in(0).rank());
  v.set_grad(0, call(op_index_update, {words::zeros_like(v.in(0)), v.grad(), v.in(1)},
                     {AttrValue(IntList{axis}), AttrValue(true)}));
}

}  // namespace

MSJIT_OP(gather)
    .doc("Slices of x along `axis`, picked by indices of any shape, which takes the axis's place.")
    .traits(kComplex)
    .signature("x: Tensor, indices: Tensor, axis: int = 0")
    .numpy("np.take(x, indices, axis)")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) {
      const int64_t axis = normal_axis(ctx.attrs[0].as_int(), ctx.in[0].rank());
      return devices::take(ctx.op.name, ctx.in[0], ctx.in.subspan(1, 1), {axis}, ctx.out[0]);
    })
    .vjp(vjp)
    .sample({.shapes = {{3, 2}, {4}}, .low_high = {0, 2}, .dtypes = {"float32", "int32"}})
    .sample({.shapes = {{2, 3}, {2, 2}},
             .low_high = {0, 2},
             .attrs = "axis=1",
             .dtypes = {"float32", "int64"}});

}  // namespace msjit
