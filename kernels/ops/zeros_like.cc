#include "kernels/cpu/fill.h"
#include "kernels/device/moves.h"

namespace msjit {

MSJIT_OP(zeros_like)
    .doc("Zeros in the shape and dtype of x.")
    .traits(kComplex)
    .signature("x: Tensor, dtype: dtype? = None")
    .numpy("np.zeros_like(x)")
    .infer([](InferCtx& ctx) -> Status {
      const AttrValue& dtype = ctx.attrs[0];
      ctx.add_output(dtype.is_none() ? ctx.in(0).dtype : dtype.as_dtype(), ctx.in(0).shape);
      return {};
    })
    .cpu([](KernelCtx& ctx) { return fill(ctx.out[0], AttrValue(0)); })
    .cuda([](KernelCtx& ctx) { return devices::fill(ctx.out[0], AttrValue(0)); })
    .no_grad()
    .sample({.shapes = {{3, 4}}, .check_grad = false});

}  // namespace msjit
