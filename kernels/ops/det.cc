#include "kernels/core/words.h"
#include "kernels/cpu/linalg.h"

namespace msjit {

extern const OpDef op_cofactors, op_inverse;

using namespace words;

namespace {

template <class T>
bool find(const KernelCtx& ctx, const T* const* in, T* const* out) {
  const int64_t n = ctx.in[0].dim(ctx.in[0].rank() - 1);
  linalg::MatrixOf<T> lu(in[0], in[0] + n * n);
  std::vector<int64_t> rows(n);
  *out[0] = T(linalg::factor_lu(n, lu.data(), rows.data()));
  for (int64_t i = 0; i < n; ++i) *out[0] *= lu[i * n + i];
  return true;
}

}  // namespace

MSJIT_OP(det)
    .doc("Determinants of square matrices; the gradient needs their inverses.")
    .signature("x: Tensor")
    .traits(kComplex | kHolomorphic)
    .infer([](InferCtx& ctx) -> Status {
      MSJIT_OK(linalg::require_square(ctx, 0));
      Shape shape = ctx.in(0).shape;
      shape.set_rank(shape.rank() - 2);
      ctx.add_output(ctx.in(0).dtype, shape);
      return {};
    })
    .cpu([](KernelCtx& ctx) -> Status {
      MSJIT_TRY([[maybe_unused]] const bool all,
                linalg::each_matrix(ctx, find<double>, find<Complex128>, {0}));
      return {};
    })
    .vjp([](Vjp& v) {
      const auto matrices = [](const Val& x) { return expand_dims(expand_dims(x, -1), -1); };
      const Val regular = matrices(v.out()) * swap_last_two(call(op_inverse, {v.in(0)}));
      const Val singular = call(op_cofactors, {v.in(0)});
      v.set_grad(0, matrices(v.grad()) * where(matrices(equal(v.out(), 0.0)), singular, regular));
    })
    .sample({.shapes = {{2, 2}}, .check_grad = false})
    .sample({.shapes = {{2, 2}}, .dtypes = {"complex64"}, .check_grad = false});

}  // namespace msjit
