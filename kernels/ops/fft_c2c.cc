#include "kernels/core/words.h"
#include "kernels/cpu/fft.h"

namespace msjit {

using namespace words;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  if (!is_complex(x.dtype))
    return type_error("[{}] x has an unsupported dtype, got {}, expected complex64 or complex128",
                      ctx.name(), dtype_name(x.dtype));
  MSJIT_TRY([[maybe_unused]] const IntList axes, fft::checked_axes(ctx));
  ctx.add_output(x.dtype, x.shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const IntList axes = fft::axes_of(ctx.attrs, ctx.in[0].rank());
  return fft::c2c(ctx.in[0], {axes, ctx.attrs[1].as_bool(), ctx.attrs[2].as_float()}, ctx.out[0]);
}

}  // namespace

MSJIT_OP(fft_c2c)
    .doc(
        "The discrete Fourier transform of complex numbers over axes, times `scale`; forward has "
        "the negative exponent.")
    .signature("x: Tensor, axes: int[], forward: bool = True, scale: float = 1.0")
    .traits(kComplex)
    .numpy(
        "(np.fft.fftn(x, axes=axes) if forward else np.fft.ifftn(x, axes=axes, norm='forward')) * "
        "scale")
    .infer(infer)
    .cpu(kernel)
    .vjp([](Vjp& v) {  // the transposed conjugate of the matrix
      v.set_grad(0, call(*v.op, {v.grad()}, {v.attrs[0], !v.attrs[1].as_bool(), v.attrs[2]}));
    })
    .sample({.shapes = {{6}}, .attrs = "axes=[0]", .dtypes = {"complex64"}})
    .sample({.shapes = {{3, 4, 5}},
             .attrs = "axes=[0, -1], forward=False, scale=0.5",
             .dtypes = {"complex128"}});

}  // namespace msjit
