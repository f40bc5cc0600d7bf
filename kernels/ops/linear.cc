#include "kernels/core/words.h"
#include "kernels/cpu/matmul.h"
#include "kernels/device/product.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  const Meta &x = ctx.in(0), &weight = ctx.in(1);
  MSJIT_OK(product::check_dtypes(ctx, x, weight));
  if (weight.shape.rank() != 2)
    return value_error("[{}] weight has a wrong rank, got {}, expected 2", ctx.name(),
                       weight.shape.rank());
  MSJIT_TRY(Shape shape, product::infer_shape(ctx, x.shape, false, weight.shape, true));
  if (ctx.has(2)) {
    const Meta& bias = ctx.in(2);
    MSJIT_OK(product::check_dtypes(ctx, x, bias));
    if (bias.shape.rank() != 1)
      return value_error("[{}] bias has a wrong rank, got {}, expected 1", ctx.name(),
                         bias.shape.rank());
    MSJIT_OK(ctx.require_eq(bias.shape[0], weight.shape[0], "bias and output sizes"));
  }
  ctx.add_output(x.dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor* bias = ctx.in.size() > 2 && ctx.in[2] ? &ctx.in[2] : nullptr;
  return product::run({ctx.in[0], ctx.in[1], false, true, bias, true}, ctx.out[0]);
}

void vjp(Vjp& v) {
  using namespace words;
  Val x = v.in(0), grad = v.grad();
  if (v.needs(0)) v.set_grad(0, matmul(grad, v.in(1)));
  if (v.needs(1)) {
    Dim in = v.in(1).shape()[1], out = v.in(1).shape()[0];
    Dim rows = 1;
    for (int i = 0; i + 1 < x.rank(); ++i) rows *= x.shape()[i];
    v.set_grad(1, matmul(reshape(grad, Shape{rows, out}), reshape(x, Shape{rows, in}), true));
  }
  if (v.inputs.size() > 2 && v.needs(2)) v.set_grad(2, grad);  // summed to the bias's shape
}

}  // namespace

MSJIT_OP(linear)
    .doc("Fully connected layer: x times the transpose of weight (out, in), plus bias (out).")
    .signature("x: Tensor, weight: Tensor, bias: Tensor? = None")
    .numpy("np.matmul(x, weight.T) + (0 if bias is None else bias)")
    .traits(kComplex | kHolomorphic | kTotal)
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) {
      const Tensor* bias = ctx.in.size() > 2 && ctx.in[2] ? &ctx.in[2] : nullptr;
      return devices::product(ctx.in[0], false, ctx.in[1], true, bias, ctx.out[0]);
    })
    .vjp(vjp)
    .sample({.shapes = {{3, 4}, {5, 4}, {5}}})
    .sample({.shapes = {{2, 3, 4}, {5, 4}, {5}}})
    .sample({.shapes = {{4}, {5, 4}, {5}}})
    .sample({.shapes = {{3, 4}, {5, 4}}})
    .sample({.shapes = {{0, 4}, {5, 4}, {5}}})
    .sample({.shapes = {{3, 4}, {5, 4}, {5}}, .dtypes = {"complex64", "complex64", "complex64"}});

}  // namespace msjit
