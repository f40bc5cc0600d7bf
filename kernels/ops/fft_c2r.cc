#include "kernels/core/words.h"
#include "kernels/cpu/fft.h"

namespace msjit {

extern const OpDef op_fft_r2c;

using namespace words;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  if (!is_complex(x.dtype))
    return type_error("[{}] x has an unsupported dtype, got {}, expected complex64 or complex128",
                      ctx.name(), dtype_name(x.dtype));
  MSJIT_TRY(const IntList axes, fft::checked_axes(ctx));
  const int64_t size = ctx.attrs[1].as_int();
  const int last = static_cast<int>(axes.back());
  if (size < 1 || size / 2 + 1 != x.shape[last])
    return value_error("[{}] n, got {} for an axis of size {}, expected n // 2 + 1 to be that size",
                       ctx.name(), size, x.shape[last]);
  Shape shape = x.shape;
  shape[last] = size;
  ctx.add_output(real_dtype(x.dtype), shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const IntList axes = fft::axes_of(ctx.attrs, ctx.in[0].rank());
  return fft::c2r(ctx.in[0], {axes, ctx.attrs[2].as_bool(), ctx.attrs[3].as_float()}, ctx.out[0]);
}

// Every bin also stands for its mirror image, except the first one and, for an even length, the
// last one.
void vjp(Vjp& v) {
  const Shape& half = v.in(0).shape();
  const int last = static_cast<int>(fft::axes_of(v.attrs, half.rank()).back());
  const Dim bins = half[last], mirrored = (v.attrs[1].as_int() - 1) / 2;
  Val weights;
  Shape line;
  for (int i = 0; i < half.rank(); ++i) line.push_back(1);
  Vals parts;
  const auto add = [&](Dim count, double value) {
    line[last] = count;
    const Val number = v.sink->constant(Tensor::scalar_of(real_dtype(v.in(0).dtype()), value));
    if (count > 0) parts.push_back(broadcast_to(number, line));
  };
  add(1, 1);
  add(mirrored, 2);
  add(bins - 1 - mirrored, 1);
  weights = parts.size() == 1 ? parts[0] : concat(v.sink, parts, last);
  const Val spectrum =
      call(op_fft_r2c, {v.grad()}, {v.attrs[0], !v.attrs[2].as_bool(), v.attrs[3]});
  v.set_grad(0, spectrum * weights);
}

}  // namespace

MSJIT_OP(fft_c2r)
    .doc(
        "The real numbers, n along the last of the axes, whose Fourier transform has this half, "
        "times `scale`; the inverse of fft_r2c but for its scale.")
    .signature("x: Tensor, axes: int[], n: int, forward: bool = False, scale: float = 1.0")
    .traits(kComplex)
    .numpy(
        "np.fft.irfftn(np.conj(x) if forward else x, [x.shape[a] for a in axes[:-1]] + [n], axes, "
        "'forward') * scale")
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{4}}, .attrs = "axes=[0], n=6", .dtypes = {"complex64"}})
    .sample({.shapes = {{4}}, .attrs = "axes=[0], n=7", .dtypes = {"complex64"}})
    .sample({.shapes = {{3, 2, 3}},
             .attrs = "axes=[0, -1], n=5, forward=True, scale=0.5",
             .dtypes = {"complex128"}});

}  // namespace msjit
