#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/pool.h"

namespace msjit {

extern const OpDef op_gather_elements;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& dy = ctx.in(0);
  MSJIT_OK(require_float(ctx, dy, "dy"));
  MSJIT_OK(require_integer(ctx, ctx.in(1), "index"));
  MSJIT_OK(require_rank(ctx, dy, 4, "dy"));
  MSJIT_OK(require_shape(ctx, ctx.in(1), dy.shape, "index"));
  const IntList& size = ctx.attrs[0].as_list();
  if (size.size() != 2 || size[0] < 0 || size[1] < 0)
    return value_error("[{}] size must be a height and a width, got {}", ctx.name(),
                       ctx.attrs[0].str());
  ctx.add_output(dy.dtype, {dy.shape[0], dy.shape[1], size[0], size[1]});
  return {};
}

Status kernel(KernelCtx& ctx) {
  return pooling::unpool(ctx.op.name, ctx.in[0], ctx.in[1], ctx.out[0]);
}

// Linear in dy: its gradient reads where this op adds.
void vjp(Vjp& v) {
  const Shape& dy = v.in(0).shape();
  Dim planes = dy[0] * dy[1];
  const IntList& size = v.attrs[0].as_list();
  Val grad = words::reshape(v.grad(), Shape{planes, size[0] * size[1]});
  Val index = words::reshape(v.in(1), Shape{planes, dy[2] * dy[3]});
  v.set_grad(0, words::reshape(call(op_gather_elements, {grad, index}, {AttrValue(1)}), dy));
}

}  // namespace

MSJIT_OP(max_unpool2d)
    .doc(
        "Zero planes of the given size with each dy added at its index; undoes "
        "max_pool2d_with_index.")
    .signature("dy: Tensor, index: Tensor, size: int[]")
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{1, 2, 2, 2}, {1, 2, 2, 2}},
             .low_high = {0, 3},
             .attrs = "size=[4, 4]",
             .dtypes = {"float32", "int64"}});

}  // namespace msjit
