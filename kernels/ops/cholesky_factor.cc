#include "kernels/core/words.h"
#include "kernels/cpu/linalg.h"

namespace msjit {

extern const OpDef op_matrix_solve, op_tril;

using namespace words;

namespace {

template <class T>
bool factor(const KernelCtx& ctx, const T* const* in, T* const* out) {
  return linalg::cholesky(ctx.in[0].dim(ctx.in[0].rank() - 1), in[0], out[0]);
}

// With P the lower triangle of L^H G with halved diagonal: L^-H P L^-1, made symmetric (Murray,
// Differentiation of the Cholesky decomposition, 2016).
void vjp(Vjp& v) {
  const Val l = v.out(), product = matmul(conj(l), v.grad(), true);
  const Val lower = call(op_tril, {product}, {AttrValue(int64_t{0})});
  const Val below = call(op_tril, {product}, {AttrValue(int64_t{-1})});
  const Val left = call(op_matrix_solve, {l, (lower + below) * 0.5}, {AttrValue(true)});
  const Val both = call(op_matrix_solve, {l, conj(swap_last_two(left))}, {AttrValue(true)});
  v.set_grad(0, (both + conj(swap_last_two(both))) * 0.5);
}

}  // namespace

MSJIT_OP(cholesky_factor)
    .doc(
        "The lower triangle L of symmetric positive definite matrices L @ L.T, of complex ones "
        "Hermitian, L @ L.mH.")
    .signature("x: Tensor")
    .traits(kComplex)
    .infer(linalg::square_infer)
    .cpu([](KernelCtx& ctx) -> Status {
      MSJIT_TRY(const bool all, linalg::each_matrix(ctx, factor<double>, factor<Complex128>, {2}));
      if (all) return {};
      return value_error("[cholesky] a matrix is not positive definite");
    })
    .vjp(vjp)
    .sample({.shapes = {{2, 1, 1}}, .low_high = {0.5, 2}});

}  // namespace msjit
