#include "kernels/core/words.h"
#include "kernels/cpu/linalg.h"

namespace msjit {

extern const OpDef op_eye;

using namespace words;

namespace {

Status infer(InferCtx& ctx) {
  MSJIT_OK(linalg::require_square(ctx, 0));
  Shape values = ctx.in(0).shape;
  values.set_rank(values.rank() - 1);
  ctx.add_output(ctx.in(0).dtype, values);
  ctx.add_output(ctx.in(0).dtype, ctx.in(0).shape);
  return {};
}

bool factor(const KernelCtx& ctx, const double* const* in, double* const* out) {
  linalg::eigh(ctx.in[0].dim(ctx.in[0].rank() - 1), in[0], out[0], out[1]);
  return true;
}

// V (diag(gw) + (V^T gV) / (w_j - w_i) off the diagonal) V^T (Giles, 2008).
void vjp(Vjp& v) {
  const Val w = v.out(0), vectors = v.out(1);
  const int64_t n = w.shape().back();
  const Val eye =
      call_in(v.sink, op_eye, {}, {AttrValue(n), AttrValue(n), AttrValue(w.dtype())});
  Val middle = eye * expand_dims(v.grad(0), -2);
  if (v.has_grad(1)) {
    const Val gap = expand_dims(w, -2) - expand_dims(w, -1) + eye;
    middle = middle + matmul(vectors, v.grad(1), true) * (1.0 - eye) / gap;
  }
  v.set_grad(0, matmul(matmul(vectors, middle), vectors, false, true));
}

}  // namespace

MSJIT_OP(eigh)
    .doc("Eigenvalues, rising, and eigenvectors (columns) of symmetric matrices.")
    .signature("x: Tensor")
    .outputs(2)
    .infer(infer)
    .cpu([](KernelCtx& ctx) -> Status {
      MSJIT_TRY([[maybe_unused]] const bool all, linalg::each_matrix(ctx, factor, {1, 2}));
      return {};
    })
    .vjp(vjp)
    .sample({.shapes = {{3, 3}}, .check_grad = false});

}  // namespace msjit
