#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/pool.h"
#include "kernels/device/windows.h"

namespace msjit {

extern const OpDef op_gather_elements, op_max_pool2d_with_index;

namespace {

Result<onednn::Window2d> geometry(const char* name, const Shape& x, const Attrs& a) {
  return window::pool(name, x, {a[0], a[1], a[2], &a[4], a[3].as_bool()});
}

Status infer(InferCtx& ctx) {
  const Meta &x = ctx.in(0), &dy = ctx.in(1);
  MSJIT_OK(require_float(ctx, x, "x"));
  MSJIT_OK(require_dtype(ctx, dy, x.dtype, "dy"));
  MSJIT_TRY(onednn::Window2d w, geometry(ctx.name(), x.shape, ctx.attrs));
  MSJIT_OK(require_shape(ctx, dy, window::output_shape(w), "dy"));
  ctx.add_output(x.dtype, x.shape);
  return {};
}

// Finds the positions of the maxima again, which is cheaper than keeping them in every forward
// pass.
Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(onednn::Window2d w, geometry(ctx.op.name, ctx.in[0].shape(), ctx.attrs));
  const Tensor &dy = ctx.in[1], &dx = ctx.out[0];
  MSJIT_TRY(Tensor x, pooling::in_order_of(dx, ctx.in[0]));
  if (pooling::is_plain_max(w, x)) {
    MSJIT_TRY(Tensor arrived, pooling::in_order_of(dx, dy));
    return onednn::max_pool_grad(w, pooling::images(x), arrived.data_as<float>(),
                                 dx.data_as<float>());
  }
  MSJIT_TRY(Tensor y, Tensor::empty(dx.dtype(), dy.shape()));
  MSJIT_TRY(Tensor index, Tensor::empty(DType::kInt64, dy.shape()));
  MSJIT_OK(pooling::max(w, x, y, index));
  return pooling::unpool(ctx.op.name, dy, index, dx);
}

// Linear in dy: its gradient reads where this op adds. x only says where, so it gets no gradient.
void vjp(Vjp& v) {
  if (!v.needs(1)) return;
  const Shape &x = v.in(0).shape(), &dy = v.in(1).shape();
  Vals found = call_multi(v.sink, op_max_pool2d_with_index, v.inputs.first(1), v.attrs);
  if (found.size() != 2) return;
  Dim planes = x[0] * x[1];
  Val grad = words::reshape(v.grad(), Shape{planes, x[2] * x[3]});
  Val index = words::reshape(found[1], Shape{planes, dy[2] * dy[3]});
  v.set_grad(1, words::reshape(call(op_gather_elements, {grad, index}, {AttrValue(1)}), dy));
}

}  // namespace

MSJIT_OP(max_pool2d_grad)
    .doc(
        "Gradient of max_pool2d with respect to x: each dy goes to the first maximum of its "
        "window.")
    .signature(
        "x: Tensor, dy: Tensor, kernel_size: int[], stride: int[]? = None, "
        "padding: int[] = 0, ceil_mode: bool = False, dilation: int[] = 1")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      MSJIT_TRY(const onednn::Window2d w, geometry(ctx.op.name, ctx.in[0].shape(), ctx.attrs));
      return devices::max_pool_grad(w, ctx.in[0], ctx.in[1], ctx.out[0]);
    })
    .traits(kChannelsLast | kTotal)
    .vjp(vjp)
    .sample({.shapes = {{1, 2, 4, 4}, {1, 2, 2, 2}}, .attrs = "kernel_size=2"});

}  // namespace msjit
