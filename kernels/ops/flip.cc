#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {

extern const OpDef op_flip;

namespace {

Status infer(InferCtx& ctx) {
  MSJIT_TRY(IntList axes, ctx.axes(ctx.attrs[0], ctx.in(0).shape.rank()));
  ctx.add_output(ctx.in(0).dtype, ctx.in(0).shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  if (ctx.out[0].numel() == 0) return {};
  Tensor view = ctx.in[0];
  int rank = view.rank();
  for (int i = 0; i < rank; ++i) {
    bool flipped = ctx.attrs[0].is_none();
    if (!flipped)
      for (int64_t axis : ctx.attrs[0].as_list()) flipped |= (axis < 0 ? axis + rank : axis) == i;
    if (flipped) view = layout::slice_axis(view, i, view.dim(i) - 1, view.dim(i), -1);
  }
  copy_strided(view, ctx.out[0]);
  return {};
}

void vjp(Vjp& v) { v.set_grad(0, call(op_flip, {v.grad()}, v.attrs)); }

}  // namespace

MSJIT_OP(flip)
    .doc("Reverses the order of elements along the given axes, or all of them.")
    .traits(kComplex)
    .signature("x: Tensor, axis: int[]? = None")
    .numpy("np.flip(x, None if axis is None else tuple(np.atleast_1d(axis)))")
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{2, 3}}})
    .sample({.shapes = {{2, 3, 2}}, .attrs = "axis=[0, -1]"});

}  // namespace msjit
