#include <cmath>

#include "kernels/core/words.h"
#include "kernels/cpu/linalg.h"

namespace msjit {

extern const OpDef op_inverse;

using namespace words;

namespace {

Status infer(InferCtx& ctx) {
  MSJIT_OK(linalg::require_square(ctx, 0));
  Shape shape = ctx.in(0).shape;
  shape.set_rank(shape.rank() - 2);
  ctx.add_output(ctx.in(0).dtype, shape);
  ctx.add_output(ctx.in(0).dtype, shape);
  return {};
}

bool find(const KernelCtx& ctx, const double* const* in, double* const* out) {
  const int64_t n = ctx.in[0].dim(ctx.in[0].rank() - 1);
  linalg::Matrix lu(in[0], in[0] + n * n);
  std::vector<int64_t> rows(n);
  double sign = linalg::factor_lu(n, lu.data(), rows.data()), total = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double pivot = lu[i * n + i];
    sign *= pivot > 0 ? 1 : pivot < 0 ? -1 : pivot;
    total += std::log(std::fabs(pivot));
  }
  *out[0] = sign;
  *out[1] = total;
  return true;
}

}  // namespace

MSJIT_OP(slogdet)
    .doc("Sign of the determinants of square matrices, and the logarithm of their absolute value.")
    .signature("x: Tensor")
    .outputs(2)
    .infer(infer)
    .cpu([](KernelCtx& ctx) -> Status {
      MSJIT_TRY([[maybe_unused]] const bool all, linalg::each_matrix(ctx, find, {0, 0}));
      return {};
    })
    .vjp([](Vjp& v) {
      const Val grad = expand_dims(expand_dims(v.grad(1), -1), -1);
      v.set_grad(0, grad * swap_last_two(call(op_inverse, {v.in(0)})));
    })
    .sample({.shapes = {{2, 2}}, .check_grad = false});

}  // namespace msjit
