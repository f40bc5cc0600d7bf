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

template <class T>
bool factor(const KernelCtx& ctx, const T* const* in, T* const* out) {
  const Tensor &x = ctx.in[0], &q = ctx.out[0];
  linalg::qr(x.dim(x.rank() - 2), x.dim(x.rank() - 1), in[0], q.dim(q.rank() - 1), out[0], out[1]);
  return true;
}

// For a square or tall matrix and its reduced factors. With M = R gR^H - gQ^H Q and P the lower
// triangle of M with halved diagonal: (gQ + Q (P + P^H)) R^-H (Walter and Lehmann, 2010). For
// complex matrices the diagonal of R is real, and so is that of P here.
void vjp(Vjp& v) {
  const Val q = v.out(0), r = v.out(1);
  const Val m = matmul(r, conj(v.grad(1)), false, true) - matmul(conj(v.grad(0)), q, true);
  const Val lower = call(op_tril, {m}, {AttrValue(int64_t{0})});
  const Val half = (lower + call(op_tril, {m}, {AttrValue(int64_t{-1})})) * 0.5;
  const Val left = v.grad(0) + matmul(q, half + conj(swap_last_two(half)));
  const Val rhs = conj(swap_last_two(left));
  v.set_grad(0, conj(swap_last_two(call(op_matrix_solve, {r, rhs}, {AttrValue(false)}))));
}

}  // namespace

MSJIT_OP(qr)
    .doc(
        "Orthonormal Q and upper triangular R with Q @ R = x; a square Q when complete. "
        "Differentiable where R is square.")
    .signature("x: Tensor, complete: bool = False")
    .traits(kComplex)
    .outputs(2)
    .infer(infer)
    .cpu([](KernelCtx& ctx) -> Status {
      MSJIT_TRY([[maybe_unused]] const bool all,
                linalg::each_matrix(ctx, factor<double>, factor<Complex128>, {2, 2}));
      return {};
    })
    .vjp(vjp)
    .sample({.shapes = {{3, 2}}, .check_grad = false})
    .sample({.shapes = {{3, 2}}, .dtypes = {"complex64"}, .check_grad = false});

}  // namespace msjit
