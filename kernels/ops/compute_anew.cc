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

void vjp(Vjp& v) { v.set_grad(0, v.grad()); }

}  // namespace

MSJIT_OP(compute_anew)
    .doc(
        "x itself. In a graph, ops on the result are computed anew: they are not merged with equal "
        "ops on x. A view.")
    .traits(kComplex)
    .signature("x: Tensor")
    .numpy("x")
    .impure()
    .traits(kView)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{2, 3}}});

}  // namespace msjit
