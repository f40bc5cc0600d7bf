#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/slicing.h"

namespace msjit {

extern const OpDef op_slice_grad;

namespace {

Status infer(InferCtx& ctx) {
  const Attrs& a = ctx.attrs;
  MSJIT_OK(slicing::check(ctx, ctx.in(0).shape, a[0], a[1], a[2]));
  ctx.add_output(ctx.in(0).dtype, slicing::shape_of(ctx.in(0).shape, a[0], a[1], a[2]));
  return {};
}

Status kernel(KernelCtx& ctx) {
  Tensor view = slicing::view_of(ctx.in[0], ctx.attrs[0], ctx.attrs[1], ctx.attrs[2]);
  const bool reversed = slicing::is_reversed(view.shape(), ctx.attrs[2]);
  MSJIT_TRY(ctx.out[0], slicing::forwards(std::move(view), reversed));
  return {};
}

void vjp(Vjp& v) {
  Attrs attrs{AttrValue(layout::as_list(v.in(0).shape())), v.attrs[0], v.attrs[1], v.attrs[2]};
  v.set_grad(0, call(op_slice_grad, {v.grad()}, attrs));
}

}  // namespace

MSJIT_OP(slice)
    .doc(
        "x[begin:end:step] axis by axis, values as slice.indices() gives them: with a negative "
        "step an end of -1 includes element 0. A view unless reversed.")
    .traits(kComplex)
    .signature("x: Tensor, begin: int[], end: int[], step: int[]")
    .numpy(
        "x[tuple(slice(b, None if s < 0 and e < 0 else e, s) for b, e, s in "
        "zip(begin, end, step))]")
    .traits(kView)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{4, 5}}, .attrs = "begin=[1, 0], end=[3, 5], step=[1, 2]"})
    .sample({.shapes = {{4, 5}}, .attrs = "begin=[3], end=[-1], step=[-1]"})
    .sample({.shapes = {{4}}, .attrs = "begin=[-3], end=[-1], step=[1]"})
    .sample({.shapes = {{4}}, .attrs = "begin=[2], end=[2], step=[1]"});

}  // namespace msjit
