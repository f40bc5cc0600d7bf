#include "kernels/core/words.h"
#include "kernels/cpu/fft.h"

namespace msjit {

extern const OpDef op_fft_c2c, op_pad;

using namespace words;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  if (x.dtype != DType::kFloat32 && x.dtype != DType::kFloat64)
    return type_error("[{}] x has an unsupported dtype, got {}, expected float32 or float64",
                      ctx.name(), dtype_name(x.dtype));
  MSJIT_TRY(const IntList axes, fft::checked_axes(ctx));
  Shape shape = x.shape;
  Dim& last = shape[static_cast<int>(axes.back())];
  last = last / 2 + 1;
  ctx.add_output(x.dtype == DType::kFloat32 ? DType::kComplex64 : DType::kComplex128, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const IntList axes = fft::axes_of(ctx.attrs, ctx.in[0].rank());
  return fft::r2c(ctx.in[0], {axes, ctx.attrs[1].as_bool(), ctx.attrs[2].as_float()}, ctx.out[0]);
}

// The half that is left out has no gradient: it is filled with zeros before the inverse transform.
void vjp(Vjp& v) {
  const Shape& full = v.in(0).shape();
  const IntList axes = fft::axes_of(v.attrs, full.rank());
  IntList before, after;
  for (int i = 0; i < full.rank(); ++i) {
    before.push_back(0);
    after.push_back(full[i] - v.out().shape()[i]);
  }
  const Val whole = call(op_pad, {v.grad()}, {before, after, AttrValue(0)});
  v.set_grad(0, real(call(op_fft_c2c, {whole}, {v.attrs[0], !v.attrs[1].as_bool(), v.attrs[2]})));
}

}  // namespace

MSJIT_OP(fft_r2c)
    .doc(
        "The discrete Fourier transform of real numbers over axes, times `scale`: the first half "
        "of the last of them.")
    .signature("x: Tensor, axes: int[], forward: bool = True, scale: float = 1.0")
    .traits(kComplex)
    .numpy("(lambda y: (y if forward else np.conj(y)) * scale)(np.fft.rfftn(x, axes=axes))")
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{6}}, .attrs = "axes=[0]"})
    .sample({.shapes = {{3, 4, 5}}, .attrs = "axes=[0, -1], forward=False, scale=0.5"});

}  // namespace msjit
