#include "kernels/core/op.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  ctx.outputs.push_back(ctx.in(0));
  return {};
}

Status kernel(KernelCtx& ctx) {
  ctx.out[0] = Tensor::view(ctx.in[0], ctx.in[0].shape(), ctx.in[0].strides(), 0);
  return {};
}

}  // namespace

MSJIT_OP(stop_gradient)
    .doc("x itself, through which no gradient flows. A view.")
    .traits(kComplex)
    .signature("x: Tensor")
    .numpy("x")
    .traits(kView)
    .no_grad()
    .infer(infer)
    .cpu(kernel)
    .sample({.shapes = {{2, 3}}, .check_grad = false});

}  // namespace msjit
