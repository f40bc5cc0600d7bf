#include "kernels/cpu/indexing.h"
#include "kernels/device/indexing.h"

namespace msjit {

namespace {

Status infer(InferCtx& ctx) {
  if (ctx.num_inputs() == 0)
    return value_error("[{}] no tensors, got 0, expected at least 2", ctx.name());
  MSJIT_TRY(Shape shape, indexing::infer_shape(ctx, ctx.in(0).shape, 1, ctx.attrs[0].as_list()));
  ctx.add_output(ctx.in(0).dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  return indexing::take(ctx.op.name, ctx.in[0], ctx.in.subspan(1), ctx.attrs[0].as_list(),
                        ctx.out[0]);
}

}  // namespace

MSJIT_OP(index)
    .doc(
        "Advanced indexing: tensors holds x, then one integer tensor for each of the named axes; "
        "NumPy's rules place the result.")
    .traits(kComplex)
    .signature("tensors: Tensor[], axes: int[]")
    .numpy(
        "tensors[0][tuple(tensors[1 + list(axes).index(a)] if a in axes else slice(None) for a "
        "in range(tensors[0].ndim))]")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) {
      return devices::take(ctx.op.name, ctx.in[0], ctx.in.subspan(1), ctx.attrs[0].as_list(),
                           ctx.out[0]);
    })
    .vjp(indexing::take_vjp)
    .sample({.shapes = {{3, 4}, {2}},
             .low_high = {0, 2},
             .attrs = "axes=[1]",
             .dtypes = {"float32", "int64"}})
    .sample({.shapes = {{3, 4, 3}, {2, 1}, {3}},
             .low_high = {0, 2},
             .attrs = "axes=[0, 1]",
             .dtypes = {"float32", "int64", "int32"}})
    .sample({.shapes = {{3, 4, 3}, {2}, {2}},
             .low_high = {0, 2},
             .attrs = "axes=[0, 2]",
             .dtypes = {"float32", "int64", "int64"}});

}  // namespace msjit
