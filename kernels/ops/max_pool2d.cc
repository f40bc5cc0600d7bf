#include "kernels/core/words.h"
#include "kernels/cpu/pool.h"
#include "kernels/device/windows.h"

namespace msjit {

extern const OpDef op_max_pool2d_grad;

namespace {

Result<onednn::Window2d> geometry(const char* name, const Shape& x, const Attrs& a) {
  return window::pool(name, x, {a[0], a[1], a[2], &a[4], a[3].as_bool()});
}

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  if (is_bool(x.dtype))
    return type_error("[{}] unsupported dtype, got bool, expected a number", ctx.name());
  MSJIT_TRY(onednn::Window2d w, geometry(ctx.name(), x.shape, ctx.attrs));
  ctx.add_output(x.dtype, window::output_shape(w));
  return {};
}

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(onednn::Window2d w, geometry(ctx.op.name, ctx.in[0].shape(), ctx.attrs));
  const Tensor& y = ctx.out[0];
  MSJIT_TRY(Tensor x, pooling::in_order_of(y, ctx.in[0]));
  if (!pooling::is_plain_max(w, x)) return pooling::max(w, x, y, Tensor());
  return onednn::pool_forward(w, onednn::Pool::kMax, pooling::images(x), y.data_as<float>());
}

void vjp(Vjp& v) { v.set_grad(0, call(op_max_pool2d_grad, {v.in(0), v.grad()}, v.attrs)); }

}  // namespace

MSJIT_OP(max_pool2d)
    .doc(
        "Maximum over 2-D windows of x (N, C, H, W); padding never wins. The stride defaults to "
        "the kernel size.")
    .signature(
        "x: Tensor, kernel_size: int[], stride: int[]? = None, padding: int[] = 0, "
        "ceil_mode: bool = False, dilation: int[] = 1")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      MSJIT_TRY(const onednn::Window2d w, geometry(ctx.op.name, ctx.in[0].shape(), ctx.attrs));
      return devices::max_pool(w, ctx.in[0], ctx.out[0], Tensor());
    })
    .traits(kChannelsLast | kBatched | kTotal)
    .vjp(vjp)
    .sample({.shapes = {{2, 2, 4, 4}}, .attrs = "kernel_size=2"})
    .sample({.shapes = {{1, 2, 5, 5}}, .attrs = "kernel_size=3, stride=2, padding=1"})
    .sample({.shapes = {{1, 1, 6, 5}},
             .attrs = "kernel_size=[2, 3], stride=2, ceil_mode=True, dilation=[2, 1]"});

}  // namespace msjit
