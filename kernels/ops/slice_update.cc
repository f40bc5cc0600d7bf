#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/slicing.h"
#include "kernels/device/moves.h"

namespace msjit {

extern const OpDef op_slice_update;

namespace {

Status infer(InferCtx& ctx) {
  const Attrs& a = ctx.attrs;
  MSJIT_OK(slicing::check(ctx, ctx.in(0).shape, a[0], a[1], a[2]));
  Shape slot = slicing::shape_of(ctx.in(0).shape, a[0], a[1], a[2]);
  MSJIT_TRY(Shape both, ctx.broadcast(ctx.in(1).shape, slot));
  if (!(both == slot))
    return value_error("[{}] cannot broadcast value, got shape {}, expected {}", ctx.name(),
                       ctx.in(1).shape.str(), slot.str());
  ctx.add_output(ctx.in(0).dtype, ctx.in(0).shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  if (ctx.in[0].data() != ctx.out[0].data()) copy_strided(ctx.in[0], ctx.out[0]);
  return slicing::write(ctx.out[0], ctx.in[1], ctx.attrs[0], ctx.attrs[1], ctx.attrs[2]);
}

// What was overwritten no longer counts; the value counts where it was written.
void vjp(Vjp& v) {
  Val grad = v.grad();
  if (v.needs(0))
    v.set_grad(0, call(op_slice_update, {grad, words::number(v.sink, 0, grad.dtype())}, v.attrs));
  if (v.needs(1))
    v.set_grad(
        1, words::slice(grad, v.attrs[0].as_list(), v.attrs[1].as_list(), v.attrs[2].as_list()));
}

}  // namespace

MSJIT_OP(slice_update)
    .doc("A copy of x with value, broadcast, written into a slice; see slice.")
    .traits(kComplex | kTotal | kUpdates)
    .signature("x: Tensor, value: Tensor, begin: int[], end: int[], step: int[]")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      const Tensor& out = ctx.out[0];
      MSJIT_OK(copy_elements(ctx.in[0], out));
      const Tensor slot = slicing::view_of(out, ctx.attrs[0], ctx.attrs[1], ctx.attrs[2]);
      if (slot.numel() == 0) return {};
      MSJIT_TRY(const Tensor value, devices::spread(ctx.in[1], out.dtype(), slot.shape(),
                                                    devices::open_context(out.device())));
      return copy_elements(value, slot);
    })
    .vjp(vjp)
    .sample({.shapes = {{4, 5}, {2, 3}}, .attrs = "begin=[1, 0], end=[3, 5], step=[1, 2]"})
    .sample({.shapes = {{4, 5}, {1}}, .attrs = "begin=[1], end=[3], step=[1]"});

}  // namespace msjit
