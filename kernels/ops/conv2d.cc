#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/conv.h"
#include "kernels/device/windows.h"

namespace msjit {

extern const OpDef op_conv2d_input_grad, op_conv2d_weight_grad;

namespace {

Status infer(InferCtx& ctx) {
  const Meta &x = ctx.in(0), &weight = ctx.in(1);
  MSJIT_OK(require_float(ctx, x, "x"));
  MSJIT_OK(require_dtype(ctx, weight, x.dtype, "weight"));
  MSJIT_TRY(onednn::Window2d w, window::conv(ctx.name(), x.shape, weight.shape, ctx.attrs));
  if (ctx.has(2)) {
    MSJIT_OK(require_dtype(ctx, ctx.in(2), x.dtype, "bias"));
    MSJIT_OK(require_shape(ctx, ctx.in(2), {w.out_channels}, "bias"));
  }
  Shape shape = window::output_shape(w);
  if (checked_numel(shape) < 0)
    return memory_error("[{}] too many elements, got shape {}", ctx.name(), shape.str());
  ctx.add_output(x.dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(onednn::Window2d w,
            window::conv(ctx.op.name, ctx.in[0].shape(), ctx.in[1].shape(), ctx.attrs));
  const Tensor* bias = ctx.in.size() > 2 && ctx.in[2] ? &ctx.in[2] : nullptr;
  return convolution::forward(w, ctx.in[0], ctx.in[1], bias, ctx.out[0]);
}

Attrs grad_attrs(const Shape& shape, const Attrs& attrs) {
  return {AttrValue(IntList(std::span<const Dim>(shape))), attrs[0], attrs[1], attrs[2], attrs[3]};
}

void vjp(Vjp& v) {
  Val x = v.in(0), weight = v.in(1), grad = v.grad();
  if (v.needs(0))
    v.set_grad(0, call(op_conv2d_input_grad, {grad, weight}, grad_attrs(x.shape(), v.attrs)));
  if (v.needs(1))
    v.set_grad(1, call(op_conv2d_weight_grad, {x, grad}, grad_attrs(weight.shape(), v.attrs)));
  if (v.inputs.size() > 2 && v.needs(2)) v.set_grad(2, words::sum(grad, IntList{0, 2, 3}));
}

}  // namespace

MSJIT_OP(conv2d)
    .doc(
        "2-D convolution of x (N, C, H, W) with weight (out, C / groups, kH, kW). Padding takes "
        "one, two or four (top, bottom, left, right) values.")
    .signature(
        "x: Tensor, weight: Tensor, bias: Tensor? = None, stride: int[] = 1, "
        "padding: int[] = 0, dilation: int[] = 1, groups: int = 1")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      MSJIT_TRY(const onednn::Window2d w,
                window::conv(ctx.op.name, ctx.in[0].shape(), ctx.in[1].shape(), ctx.attrs));
      const Tensor* bias = ctx.in.size() > 2 && ctx.in[2] ? &ctx.in[2] : nullptr;
      return devices::convolve(w, ctx.in[0], ctx.in[1], bias, ctx.out[0]);
    })
    .traits(kChannelsLast | kBatched | kTotal)
    .vjp(vjp)
    .sample({.shapes = {{2, 3, 5, 5}, {4, 3, 3, 3}, {4}}})
    .sample({.shapes = {{1, 2, 6, 5}, {3, 2, 3, 2}}, .attrs = "stride=[2, 1], padding=[1, 0]"})
    .sample({.shapes = {{1, 4, 5, 5}, {4, 2, 2, 2}, {4}},
             .attrs = "groups=2, dilation=2, padding=[1, 2, 0, 1]"})
    .sample({.shapes = {{3, 4, 1, 1}, {5, 4, 1, 1}, {5}}})
    .sample({.shapes = {{2, 3, 2, 3}, {4, 3, 2, 3}}, .attrs = "stride=[1, 2]"})
    .sample({.shapes = {{1, 2, 4, 4}, {2, 1, 3, 3}},
             .attrs = "groups=2, padding=1",
             .dtypes = {"float64", "float64"}});

}  // namespace msjit
