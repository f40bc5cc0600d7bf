#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/linalg.h"

namespace msjit {

using namespace words;

namespace {

Status infer(InferCtx& ctx) {
  MSJIT_OK(linalg::require_square(ctx, 0));
  MSJIT_OK(require_dtype(ctx, ctx.in(1), ctx.in(0).dtype, "rhs"));
  const Shape &a = ctx.in(0).shape, &b = ctx.in(1).shape;
  MSJIT_OK(require_rank(ctx, ctx.in(1), a.rank(), "rhs"));
  for (int i = 0; i + 1 < a.rank(); ++i) MSJIT_OK(ctx.require_eq(b[i], a[i], "sizes of rhs"));
  ctx.add_output(ctx.in(0).dtype, b);
  return {};
}

template <class T>
bool solve(const KernelCtx& ctx, const T* const* in, T* const* out) {
  const Tensor& b = ctx.in[1];
  const int64_t n = b.dim(b.rank() - 2), m = b.dim(b.rank() - 1);
  linalg::MatrixOf<T> lu(n * n);
  const bool adjoint = ctx.attrs[0].as_bool();
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      lu[i * n + j] = adjoint ? linalg::conjugate(in[0][j * n + i]) : in[0][i * n + j];
  std::vector<int64_t> rows(n);
  linalg::factor_lu(n, lu.data(), rows.data());
  linalg::solve_lu(n, lu.data(), rows.data(), in[1], m, out[0]);
  return true;
}

}  // namespace

MSJIT_OP(matrix_solve)
    .doc(
        "Solutions x of matrix @ x = rhs, or of the conjugate transpose of the matrix where "
        "adjoint; infinite or NaN where there is none.")
    .signature("matrix: Tensor, rhs: Tensor, adjoint: bool = False")
    .traits(kComplex)
    .infer(infer)
    .cpu([](KernelCtx& ctx) -> Status {
      MSJIT_TRY([[maybe_unused]] const bool all,
                linalg::each_matrix(ctx, solve<double>, solve<Complex128>, {2}));
      return {};
    })
    .vjp([](Vjp& v) {
      const bool adjoint = v.attrs[0].as_bool();
      const Val rhs = call(*v.op, {v.in(0), v.grad()}, {AttrValue(!adjoint)});
      if (v.needs(1)) v.set_grad(1, rhs);
      if (v.needs(0))
        v.set_grad(0, neg(adjoint ? matmul(v.out(), conj(rhs), false, true)
                                  : matmul(rhs, conj(v.out()), false, true)));
    })
    .sample({.shapes = {{2, 2}, {2, 3}}, .check_grad = false})
    .sample({.shapes = {{2, 2}, {2, 3}},
             .dtypes = {"complex64", "complex64"},
             .check_grad = false});

}  // namespace msjit
