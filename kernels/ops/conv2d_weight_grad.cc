#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/conv.h"
#include "kernels/device/windows.h"

namespace msjit {

extern const OpDef op_conv2d, op_conv2d_input_grad;

namespace {

Status infer(InferCtx& ctx) {
  const Meta &x = ctx.in(0), &dy = ctx.in(1);
  MSJIT_OK(require_float(ctx, x, "x"));
  MSJIT_OK(require_dtype(ctx, dy, x.dtype, "dy"));
  const IntList& sizes = ctx.attrs[0].as_list();
  if (sizes.size() != 4)
    return value_error("[{}] weight_shape has a wrong length, got {}, expected 4", ctx.name(),
                       sizes.size());
  MSJIT_TRY(Shape weight, shape_of(ctx, ctx.attrs[0], "weight_shape"));
  MSJIT_TRY(onednn::Window2d w, window::conv(ctx.name(), x.shape, weight, ctx.attrs, 1));
  MSJIT_OK(require_shape(ctx, dy, window::output_shape(w), "dy"));
  ctx.add_output(x.dtype, weight);
  return {};
}

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(onednn::Window2d w,
            window::conv(ctx.op.name, ctx.in[0].shape(), ctx.out[0].shape(), ctx.attrs, 1));
  return convolution::weight_grad(w, ctx.in[0], ctx.in[1], ctx.out[0]);
}

// Linear in both inputs: each gradient is one of the other two operators.
void vjp(Vjp& v) {
  const Attrs& a = v.attrs;
  if (v.needs(0)) {
    IntList x{std::span<const Dim>(v.in(0).shape())};
    v.set_grad(
        0, call(op_conv2d_input_grad, {v.in(1), v.grad()}, {AttrValue(x), a[1], a[2], a[3], a[4]}));
  }
  if (v.needs(1)) v.set_grad(1, call(op_conv2d, {v.in(0), v.grad()}, {a[1], a[2], a[3], a[4]}));
}

}  // namespace

MSJIT_OP(conv2d_weight_grad)
    .doc("Gradient of conv2d with respect to weight.")
    .signature(
        "x: Tensor, dy: Tensor, weight_shape: int[], stride: int[] = 1, "
        "padding: int[] = 0, dilation: int[] = 1, groups: int = 1")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      MSJIT_TRY(const onednn::Window2d w,
                window::conv(ctx.op.name, ctx.in[0].shape(), ctx.out[0].shape(), ctx.attrs, 1));
      return devices::convolve_weight_grad(w, ctx.in[0], ctx.in[1], ctx.out[0]);
    })
    .traits(kChannelsLast | kTotal)
    .vjp(vjp)
    .sample({.shapes = {{1, 2, 5, 5}, {1, 3, 3, 3}}, .attrs = "weight_shape=[3, 2, 3, 3]"});

}  // namespace msjit
