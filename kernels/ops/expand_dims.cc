#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  Shape shape = ctx.in(0).shape;
  if (shape.rank() == kMaxRank)
    return value_error("[{}] too many dimensions, got {}, expected at most {}", ctx.name(),
                       kMaxRank + 1, kMaxRank);
  MSJIT_TRY(int axis, ctx.axis(ctx.attrs[0].as_int(), shape.rank() + 1));
  shape.insert(axis, 1);
  ctx.add_output(ctx.in(0).dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  Shape shape = ctx.in[0].shape(), strides = ctx.in[0].strides();
  int64_t axis = ctx.attrs[0].as_int();
  int at = static_cast<int>(axis < 0 ? axis + shape.rank() + 1 : axis);
  // The stride of a size-one axis is free; this one keeps contiguous tensors contiguous.
  Dim stride = at < shape.rank() ? shape[at] * strides[at] : 1;
  shape.insert(at, 1);
  strides.insert(at, stride);
  ctx.out[0] = Tensor::view(ctx.in[0], shape, strides, 0);
  return {};
}

void vjp(Vjp& v) { v.set_grad(0, words::reshape(v.grad(), v.in(0).shape())); }

}  // namespace

MSJIT_OP(expand_dims)
    .doc("Inserts an axis of size one before `axis`. A view.")
    .traits(kComplex)
    .signature("x: Tensor, axis: int")
    .numpy("np.expand_dims(x, axis)")
    .traits(kView)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{2, 3}}, .attrs = "axis=1"})
    .sample({.shapes = {{2, 3}}, .attrs = "axis=-1"})
    .sample({.shapes = {{}}, .attrs = "axis=0"});

}  // namespace msjit
