#include "kernels/core/words.h"
#include "kernels/cpu/pool.h"
#include "kernels/device/windows.h"

namespace msjit {

extern const OpDef op_max_pool2d, op_max_unpool2d;

namespace {

Status infer(InferCtx& ctx) {
  MSJIT_OK(op_max_pool2d.infer(ctx));
  Shape shape = ctx.outputs[0].shape;
  ctx.add_output(DType::kInt64, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Attrs& a = ctx.attrs;
  MSJIT_TRY(onednn::Window2d w, window::pool(ctx.op.name, ctx.in[0].shape(),
                                             {a[0], a[1], a[2], &a[4], a[3].as_bool()}));
  return pooling::max(w, ctx.in[0], ctx.out[0], ctx.out[1]);
}

void vjp(Vjp& v) {
  const Shape& x = v.in(0).shape();
  v.set_grad(0, call(op_max_unpool2d, {v.grad(), v.out(1)}, {AttrValue(IntList{x[2], x[3]})}));
}

}  // namespace

MSJIT_OP(max_pool2d_with_index)
    .doc("max_pool2d and the position of each maximum, counted within its plane.")
    .signature(
        "x: Tensor, kernel_size: int[], stride: int[]? = None, padding: int[] = 0, "
        "ceil_mode: bool = False, dilation: int[] = 1")
    .outputs(2)
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      const Attrs& a = ctx.attrs;
      MSJIT_TRY(const onednn::Window2d w, window::pool(ctx.op.name, ctx.in[0].shape(),
                                                       {a[0], a[1], a[2], &a[4], a[3].as_bool()}));
      return devices::max_pool(w, ctx.in[0], ctx.out[0], ctx.out[1]);
    })
    .vjp(vjp)
    .sample({.shapes = {{2, 2, 4, 4}}, .attrs = "kernel_size=2", .check_grad = false});

}  // namespace msjit
