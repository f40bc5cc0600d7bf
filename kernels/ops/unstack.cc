#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {

extern const OpDef op_stack;

namespace {

Status infer(InferCtx& ctx) {
  Shape shape = ctx.in(0).shape;
  MSJIT_TRY(int axis, axis_of(ctx, ctx.attrs[0].as_int(), shape.rank()));
  Dim count = shape[axis];
  shape.erase(axis);
  for (Dim i = 0; i < count; ++i) ctx.add_output(ctx.in(0).dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor& x = ctx.in[0];
  int axis = normal_axis(ctx.attrs[0].as_int(), x.rank());
  Shape shape = x.shape(), strides = x.strides();
  shape.erase(axis);
  strides.erase(axis);
  int64_t step = shape.numel() ? x.strides()[axis] : 0;
  for (size_t i = 0; i < ctx.out.size(); ++i)
    ctx.out[i] = Tensor::view(x, shape, strides, static_cast<int64_t>(i) * step);
  return {};
}

void vjp(Vjp& v) {
  if (v.outputs.empty()) return v.set_grad(0, words::zeros_like(v.in(0)));
  Vals parts;
  for (size_t i = 0; i < v.outputs.size(); ++i) parts.push_back(v.grad(static_cast<int>(i)));
  Vals stacked = call_multi(v.sink, op_stack, parts, v.attrs);
  if (!stacked.empty()) v.set_grad(0, stacked[0]);
}

}  // namespace

MSJIT_OP(unstack)
    .doc("The slices of x along `axis`, without that axis. Views.")
    .traits(kComplex)
    .signature("x: Tensor, axis: int = 0")
    .numpy("[np.take(x, i, axis) for i in range(x.shape[axis])]")
    .traits(kView)
    .outputs(0)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{3, 2}}})
    .sample({.shapes = {{2, 3}}, .attrs = "axis=-1"});

}  // namespace msjit
