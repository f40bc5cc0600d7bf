#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/pool.h"
#include "kernels/device/windows.h"

namespace msjit {

extern const OpDef op_avg_pool2d;

namespace {

Result<onednn::Window2d> geometry(const char* name, const Attrs& a) {
  if (a[0].as_list().size() != 4)
    return value_error("[{}] input_shape has a wrong length, got {}, expected 4", name,
                       a[0].as_list().size());
  Shape x{std::span<const Dim>(a[0].as_list())};
  for (Dim size : x)
    if (size < 0)
      return value_error("[{}] input_shape must not be negative, got {}", name, x.str());
  return window::pool(name, x, {a[1], a[2], a[3], nullptr, a[4].as_bool()});
}

Status infer(InferCtx& ctx) {
  MSJIT_OK(require_float(ctx, ctx.in(0), "dy"));
  MSJIT_TRY(onednn::Window2d w, geometry(ctx.name(), ctx.attrs));
  MSJIT_OK(require_shape(ctx, ctx.in(0), window::output_shape(w), "dy"));
  ctx.add_output(ctx.in(0).dtype, window::input_shape(w));
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Attrs& a = ctx.attrs;
  MSJIT_TRY(onednn::Window2d w, geometry(ctx.op.name, a));
  bool include = a[5].as_bool();
  int64_t fixed = a[6].is_none() ? 0 : a[6].as_int();
  if (fixed || !pooling::is_plain(w, ctx.in[0].dtype()))
    return pooling::average_grad(w, {include, fixed}, ctx.in[0], ctx.out[0]);
  MSJIT_TRY(Tensor dy, pooling::in_order_of(ctx.out[0], ctx.in[0]));
  auto kind = include ? onednn::Pool::kAverageWithPadding : onednn::Pool::kAverage;
  return onednn::average_pool_grad(w, kind, pooling::images(dy), ctx.out[0].data_as<float>());
}

// Linear in dy: its gradient is the pooling itself.
void vjp(Vjp& v) {
  const Attrs& a = v.attrs;
  v.set_grad(0, call(op_avg_pool2d, {v.grad()}, {a[1], a[2], a[3], a[4], a[5], a[6]}));
}

}  // namespace

MSJIT_OP(avg_pool2d_grad)
    .doc("Gradient of avg_pool2d with respect to x.")
    .signature(
        "dy: Tensor, input_shape: int[], kernel_size: int[], stride: int[]? = None, "
        "padding: int[] = 0, ceil_mode: bool = False, count_include_pad: bool = True, "
        "divisor_override: int? = None")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      const Attrs& a = ctx.attrs;
      MSJIT_TRY(const onednn::Window2d w, geometry(ctx.op.name, a));
      return devices::average_pool_grad(w, {a[5].as_bool(), a[6].is_none() ? 0 : a[6].as_int()},
                                        ctx.in[0], ctx.out[0]);
    })
    .traits(kChannelsLast | kTotal)
    .vjp(vjp)
    .sample({.shapes = {{1, 2, 2, 2}}, .attrs = "input_shape=[1, 2, 4, 4], kernel_size=2"});

}  // namespace msjit
