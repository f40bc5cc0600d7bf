#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/pool.h"
#include "kernels/device/windows.h"

namespace msjit {

extern const OpDef op_avg_pool2d_grad;

namespace {

Result<onednn::Window2d> geometry(const char* name, const Shape& x, const Attrs& a) {
  if (!a[5].is_none() && a[5].as_int() == 0)
    return value_error("[{}] divisor_override must not be zero, got 0", name);
  return window::pool(name, x, {a[0], a[1], a[2], nullptr, a[3].as_bool()});
}

Status infer(InferCtx& ctx) {
  MSJIT_OK(require_float(ctx, ctx.in(0), "x"));
  MSJIT_TRY(onednn::Window2d w, geometry(ctx.name(), ctx.in(0).shape, ctx.attrs));
  ctx.add_output(ctx.in(0).dtype, window::output_shape(w));
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Attrs& a = ctx.attrs;
  MSJIT_TRY(onednn::Window2d w, geometry(ctx.op.name, ctx.in[0].shape(), a));
  bool include = a[4].as_bool();
  int64_t fixed = a[5].is_none() ? 0 : a[5].as_int();
  if (fixed || !pooling::is_plain(w, ctx.in[0].dtype()))
    return pooling::average(w, {include, fixed}, ctx.in[0], ctx.out[0]);
  MSJIT_TRY(Tensor x, pooling::in_order_of(ctx.out[0], ctx.in[0]));
  auto kind = include ? onednn::Pool::kAverageWithPadding : onednn::Pool::kAverage;
  return onednn::pool_forward(w, kind, pooling::images(x), ctx.out[0].data_as<float>());
}

void vjp(Vjp& v) {
  const Attrs& a = v.attrs;
  AttrValue shape(IntList(std::span<const Dim>(v.in(0).shape())));
  v.set_grad(0, call(op_avg_pool2d_grad, {v.grad()}, {shape, a[0], a[1], a[2], a[3], a[4], a[5]}));
}

}  // namespace

MSJIT_OP(avg_pool2d)
    .doc("Mean over 2-D windows of x (N, C, H, W). The stride defaults to the kernel size.")
    .signature(
        "x: Tensor, kernel_size: int[], stride: int[]? = None, padding: int[] = 0, "
        "ceil_mode: bool = False, count_include_pad: bool = True, "
        "divisor_override: int? = None")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      const Attrs& a = ctx.attrs;
      MSJIT_TRY(const onednn::Window2d w, geometry(ctx.op.name, ctx.in[0].shape(), a));
      return devices::average_pool(w, {a[4].as_bool(), a[5].is_none() ? 0 : a[5].as_int()},
                                   ctx.in[0], ctx.out[0]);
    })
    .traits(kChannelsLast | kBatched | kTotal)
    .vjp(vjp)
    .sample({.shapes = {{2, 2, 4, 4}}, .attrs = "kernel_size=2"})
    .sample({.shapes = {{1, 2, 5, 5}},
             .attrs = "kernel_size=3, stride=2, padding=1, count_include_pad=False"})
    .sample({.shapes = {{1, 1, 6, 5}}, .attrs = "kernel_size=[2, 3], stride=2, ceil_mode=True"})
    .sample({.shapes = {{1, 1, 4, 4}}, .attrs = "kernel_size=2, divisor_override=3"});

}  // namespace msjit
