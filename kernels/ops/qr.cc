#include <algorithm>

#include "kernels/core/words.h"
#include "kernels/cpu/linalg.h"

namespace msjit {

extern const OpDef op_matrix_solve, op_tril;

using namespace words;

namespace {

Status infer(InferCtx& ctx) {
  MSJIT_OK(linalg::require_matrices(ctx, 0));
  Shape q = ctx.in(0).shape, r = q;
  const int last = q.rank() - 1;
  const int64_t k = ctx.attrs[0].as_bool() ? q[last - 1] : std::min(q[last - 1], q[last]);
  q[last] = r[last - 1] = k;
  ctx.add_output(ctx.in(0).dtype, q);
  ctx.add_output(ctx.in(0).dtype, r);
  return {};
}

bool factor(const KernelCtx& ctx, const double* const* in, double* const* out) {
  const Tensor &x = ctx.in[0], &q = ctx.out[0];
  linalg::qr(x.dim(x.rank() - 2), x.dim(x.rank() - 1), in[0], q.dim(q.rank() - 1), out[0], out[1]);
  return true;
}

// For a square or tall matrix and its reduced factors, with M = R gR^T - gQ^T Q:
// (gQ + Q (tril(M) + tril(M, -1)^T)) R^-T (Walter and Lehmann, 2010).
void vjp(Vjp& v) {
  const Val q = v.out(0), r = v.out(1);
  const Val m = matmul(r, v.grad(1), false, true) - matmul(v.grad(0), q, true);
  const Val below = call(op_tril, {m}, {AttrValue(int64_t{-1})});
  const Val symmetric = call(op_tril, {m}, {AttrValue(int64_t{0})}) + swap_last_two(below);
  const Val left = v.grad(0) + matmul(q, symmetric);
  v.set_grad(0, swap_last_two(call(op_matrix_solve, {r, swap_last_two(left)}, {AttrValue(false)})));
}

}  // namespace

MSJIT_OP(qr)
    .doc(
        "Orthonormal Q and upper triangular R with Q @ R = x; a square Q when complete. "
        "Differentiable where R is square.")
    .signature("x: Tensor, complete: bool = False")
    .outputs(2)
    .infer(infer)
    .cpu([](KernelCtx& ctx) -> Status {
      MSJIT_TRY([[maybe_unused]] const bool all, linalg::each_matrix(ctx, factor, {2, 2}));
      return {};
    })
    .vjp(vjp)
    .sample({.shapes = {{3, 2}}, .check_grad = false});

}  // namespace msjit
