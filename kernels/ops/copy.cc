#include "kernels/core/op.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  ctx.outputs.push_back(ctx.in(0));
  return {};
}

Status kernel(KernelCtx& ctx) {
  copy_strided(ctx.in[0], ctx.out[0]);
  return {};
}

void vjp(Vjp& v) { v.set_grad(0, v.grad()); }

}  // namespace

MSJIT_OP(copy)
    .doc("A contiguous copy of x with memory of its own.")
    .traits(kComplex | kTotal)
    .signature("x: Tensor")
    .numpy("np.copy(x)")
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{2, 3}}})
    .sample({.shapes = {{0}}})
    .sample({.shapes = {{4}}, .dtypes = {"bool"}, .check_grad = false});

}  // namespace msjit
