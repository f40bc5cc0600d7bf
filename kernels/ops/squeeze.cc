#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

// Bit i: axis i is dropped. `axes` has been validated.
uint32_t dropped_axes(const Shape& shape, const AttrValue& axes) {
  uint32_t dropped = 0;
  if (axes.is_none()) {
    for (int i = 0; i < shape.rank(); ++i) dropped |= static_cast<uint32_t>(shape[i] == 1) << i;
  } else {
    for (int64_t axis : axes.as_list()) {
      int at = normal_axis(axis, shape.rank());
      if (shape.rank() > 0 && shape[at] == 1) dropped |= 1u << at;
    }
  }
  return dropped;
}

Status infer(InferCtx& ctx) {
  const Shape& x = ctx.in(0).shape;
  if (!ctx.attrs[0].is_none() && !ctx.attrs[0].as_list().empty()) {
    MSJIT_TRY([[maybe_unused]] IntList axes, ctx.axes(ctx.attrs[0], x.rank()));
  }
  uint32_t dropped = dropped_axes(x, ctx.attrs[0]);
  Shape shape;
  for (int i = 0; i < x.rank(); ++i)
    if (!(dropped >> i & 1)) shape.push_back(x[i]);
  ctx.add_output(ctx.in(0).dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor& x = ctx.in[0];
  uint32_t dropped = dropped_axes(x.shape(), ctx.attrs[0]);
  Shape shape, strides;
  for (int i = 0; i < x.rank(); ++i) {
    if (dropped >> i & 1) continue;
    shape.push_back(x.dim(i));
    strides.push_back(x.strides()[i]);
  }
  ctx.out[0] = Tensor::view(x, shape, strides, 0);
  return {};
}

void vjp(Vjp& v) { v.set_grad(0, words::reshape(v.grad(), v.in(0).shape())); }

}  // namespace

MSJIT_OP(squeeze)
    .doc("Drops axes of size one: of those named, or of all. A view.")
    .traits(kComplex)
    .signature("x: Tensor, axis: int[]? = None")
    .numpy(
        "np.squeeze(x, tuple(a for a in (range(x.ndim) if axis is None else axis) if x.shape[a] == "
        "1))")
    .traits(kView)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{1, 3, 1}}})
    .sample({.shapes = {{1, 3, 1}}, .attrs = "axis=[-1]"})
    .sample({.shapes = {{2, 3}}})
    .sample({.shapes = {{2, 1}}, .attrs = "axis=[0, 1]"});

}  // namespace msjit
