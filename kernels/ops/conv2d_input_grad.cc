#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/conv.h"
#include "kernels/device/windows.h"

namespace msjit {

extern const OpDef op_conv2d, op_conv2d_weight_grad;

namespace {

Status infer(InferCtx& ctx) {
  const Meta &dy = ctx.in(0), &weight = ctx.in(1);
  MSJIT_OK(require_float(ctx, dy, "dy"));
  MSJIT_OK(require_dtype(ctx, weight, dy.dtype, "weight"));
  const IntList& sizes = ctx.attrs[0].as_list();
  if (sizes.size() != 4)
    return value_error("[{}] input_shape has a wrong length, got {}, expected 4", ctx.name(),
                       sizes.size());
  MSJIT_TRY(Shape x, shape_of(ctx, ctx.attrs[0], "input_shape"));
  MSJIT_TRY(onednn::Window2d w, window::conv(ctx.name(), x, weight.shape, ctx.attrs, 1));
  MSJIT_OK(require_shape(ctx, dy, window::output_shape(w), "dy"));
  ctx.add_output(dy.dtype, x);
  return {};
}

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(onednn::Window2d w,
            window::conv(ctx.op.name, ctx.out[0].shape(), ctx.in[1].shape(), ctx.attrs, 1));
  return convolution::input_grad(w, ctx.in[0], ctx.in[1], ctx.out[0]);
}

// Linear in both inputs: each gradient is one of the other two operators.
void vjp(Vjp& v) {
  const Attrs& a = v.attrs;
  if (v.needs(0)) v.set_grad(0, call(op_conv2d, {v.grad(), v.in(1)}, {a[1], a[2], a[3], a[4]}));
  if (v.needs(1)) {
    IntList weight{std::span<const Dim>(v.in(1).shape())};
    v.set_grad(1, call(op_conv2d_weight_grad, {v.grad(), v.in(0)},
                       {AttrValue(weight), a[1], a[2], a[3], a[4]}));
  }
}

}  // namespace

MSJIT_OP(conv2d_input_grad)
    .doc("Gradient of conv2d with respect to x; a transposed convolution of dy with weight.")
    .signature(
        "dy: Tensor, weight: Tensor, input_shape: int[], stride: int[] = 1, "
        "padding: int[] = 0, dilation: int[] = 1, groups: int = 1")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      MSJIT_TRY(const onednn::Window2d w,
                window::conv(ctx.op.name, ctx.out[0].shape(), ctx.in[1].shape(), ctx.attrs, 1));
      return devices::convolve_input_grad(w, ctx.in[0], ctx.in[1], ctx.out[0]);
    })
    .traits(kChannelsLast | kTotal)
    .vjp(vjp)
    .sample({.shapes = {{1, 3, 3, 3}, {3, 2, 3, 3}}, .attrs = "input_shape=[1, 2, 5, 5]"})
    .sample({.shapes = {{1, 4, 3, 3}, {4, 1, 3, 3}},
             .attrs = "input_shape=[1, 2, 5, 5], stride=2, padding=1, groups=2"});

}  // namespace msjit
