#include "kernels/core/words.h"
#include "kernels/cpu/linalg.h"

namespace msjit {

using namespace words;

namespace {

template <class T>
bool invert(const KernelCtx& ctx, const T* const* in, T* const* out) {
  const int64_t n = ctx.in[0].dim(ctx.in[0].rank() - 1);
  linalg::MatrixOf<T> lu(in[0], in[0] + n * n), unit(n * n, T(0));
  std::vector<int64_t> rows(n);
  for (int64_t i = 0; i < n; ++i) unit[i * n + i] = 1;
  linalg::factor_lu(n, lu.data(), rows.data());
  linalg::solve_lu(n, lu.data(), rows.data(), unit.data(), n, out[0]);
  return true;
}

}  // namespace

MSJIT_OP(inverse)
    .doc("Inverses of square matrices; infinite or NaN where there is none.")
    .signature("x: Tensor")
    .traits(kComplex | kHolomorphic)
    .infer(linalg::square_infer)
    .cpu([](KernelCtx& ctx) -> Status {
      MSJIT_TRY([[maybe_unused]] const bool all,
                linalg::each_matrix(ctx, invert<double>, invert<Complex128>, {2}));
      return {};
    })
    .vjp([](Vjp& v) {
      v.set_grad(0, neg(matmul(matmul(v.out(), v.grad(), true), v.out(), false, true)));
    })
    .sample({.shapes = {{2, 2}}, .check_grad = false})
    .sample({.shapes = {{2, 2}}, .dtypes = {"complex64"}, .check_grad = false});

}  // namespace msjit
