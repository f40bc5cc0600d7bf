#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {

extern const OpDef op_swapaxes;

namespace {

Status infer(InferCtx& ctx) {
  Shape shape = ctx.in(0).shape;
  MSJIT_TRY(int a, ctx.axis(ctx.attrs[0].as_int(), shape.rank()));
  MSJIT_TRY(int b, ctx.axis(ctx.attrs[1].as_int(), shape.rank()));
  std::swap(shape[a], shape[b]);
  ctx.add_output(ctx.in(0).dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  int64_t a = ctx.attrs[0].as_int(), b = ctx.attrs[1].as_int(), rank = ctx.in[0].rank();
  ctx.out[0] = layout::swap_axes(ctx.in[0], static_cast<int>(a < 0 ? a + rank : a),
                                 static_cast<int>(b < 0 ? b + rank : b));
  return {};
}

void vjp(Vjp& v) { v.set_grad(0, call(op_swapaxes, {v.grad()}, v.attrs)); }

}  // namespace

MSJIT_OP(swapaxes)
    .doc("Exchanges two axes. A view.")
    .traits(kComplex)
    .signature("x: Tensor, axis0: int, axis1: int")
    .numpy("np.swapaxes(x, axis0, axis1)")
    .traits(kView)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{2, 3, 4}}, .attrs = "axis0=0, axis1=-1"});

}  // namespace msjit
