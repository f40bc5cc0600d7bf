#include "kernels/cpu/fill.h"
#include "kernels/device/moves.h"

namespace msjit {

MSJIT_OP(full_like)
    .doc("One value in the shape and dtype of x.")
    .traits(kComplex)
    .signature("x: Tensor, value: number, dtype: dtype? = None")
    .numpy("np.full_like(x, value)")
    .infer([](InferCtx& ctx) -> Status {
      const AttrValue& dtype = ctx.attrs[1];
      ctx.add_output(dtype.is_none() ? ctx.in(0).dtype : dtype.as_dtype(), ctx.in(0).shape);
      return {};
    })
    .cpu([](KernelCtx& ctx) { return fill(ctx.out[0], ctx.attrs[0]); })
    .cuda([](KernelCtx& ctx) { return devices::fill(ctx.out[0], ctx.attrs[0]); })
    .no_grad()
    .sample({.shapes = {{3, 4}}, .attrs = "value=2.5", .check_grad = false});

}  // namespace msjit
