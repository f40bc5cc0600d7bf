#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/slicing.h"
#include "kernels/device/moves.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  MSJIT_TRY(Shape shape, shape_of(ctx, ctx.attrs[0], "shape"));
  MSJIT_OK(slicing::check(ctx, shape, ctx.attrs[1], ctx.attrs[2], ctx.attrs[3]));
  Shape slot = slicing::shape_of(shape, ctx.attrs[1], ctx.attrs[2], ctx.attrs[3]);
  if (!(slot == ctx.in(0).shape))
    return value_error("[{}] x has a wrong shape, got {}, expected {}", ctx.name(),
                       ctx.in(0).shape.str(), slot.str());
  ctx.add_output(ctx.in(0).dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  layout::fill_zero(ctx.out[0]);
  return slicing::write(ctx.out[0], ctx.in[0], ctx.attrs[1], ctx.attrs[2], ctx.attrs[3]);
}

void vjp(Vjp& v) {
  v.set_grad(
      0, words::slice(v.grad(), v.attrs[1].as_list(), v.attrs[2].as_list(), v.attrs[3].as_list()));
}

}  // namespace

MSJIT_OP(slice_grad)
    .doc("Zeros of a shape with x written into a slice: the gradient of slice.")
    .traits(kComplex | kTotal)
    .signature("x: Tensor, shape: int[], begin: int[], end: int[], step: int[]")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      const Attrs& a = ctx.attrs;
      MSJIT_OK(devices::fill_zero(ctx.out[0]));
      if (ctx.in[0].numel() == 0) return {};
      return copy_elements(ctx.in[0], slicing::view_of(ctx.out[0], a[1], a[2], a[3]));
    })
    .vjp(vjp)
    .sample({.shapes = {{2, 3}}, .attrs = "shape=[4, 5], begin=[1, 0], end=[3, 5], step=[1, 2]"})
    .sample({.shapes = {{4}}, .attrs = "shape=[4], begin=[3], end=[-1], step=[-1]"});

}  // namespace msjit
