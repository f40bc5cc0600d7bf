#include <cmath>

#include "kernels/core/words.h"
#include "kernels/cpu/linalg.h"

namespace msjit {

extern const OpDef op_inverse, op_complex;

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

template <class T>
bool find(const KernelCtx& ctx, const T* const* in, T* const* out) {
  const int64_t n = ctx.in[0].dim(ctx.in[0].rank() - 1);
  linalg::MatrixOf<T> lu(in[0], in[0] + n * n);
  std::vector<int64_t> rows(n);
  T sign = T(linalg::factor_lu(n, lu.data(), rows.data()));
  double total = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T pivot = lu[i * n + i];
    const double size = std::abs(pivot);
    sign *= size > 0 ? pivot / size : pivot;
    total += std::log(size);
  }
  *out[0] = sign;
  *out[1] = total;
  return true;
}

// With t = trace(x^-1 dx), the logarithm changes by Re(t), and a complex sign s by i s Im(t).
void vjp(Vjp& v) {
  Val grad = v.grad(1);
  if (is_complex(grad.dtype())) {
    const Val turned = v.grad(0) * conj(v.out(0));
    grad = call(op_complex, {real(grad), imag(turned)});
  }
  grad = expand_dims(expand_dims(grad, -1), -1);
  v.set_grad(0, grad * conj(swap_last_two(call(op_inverse, {v.in(0)}))));
}

}  // namespace

MSJIT_OP(slogdet)
    .doc(
        "Sign of the determinants of square matrices, of complex ones the number of absolute value "
        "1 that they are multiples of, and the logarithm of their absolute value.")
    .signature("x: Tensor")
    .traits(kComplex)
    .outputs(2)
    .infer(infer)
    .cpu([](KernelCtx& ctx) -> Status {
      MSJIT_TRY([[maybe_unused]] const bool all,
                linalg::each_matrix(ctx, find<double>, find<Complex128>, {0, 0}));
      return {};
    })
    .vjp(vjp)
    .sample({.shapes = {{2, 2}}, .check_grad = false})
    .sample({.shapes = {{2, 2}}, .dtypes = {"complex64"}, .check_grad = false});

}  // namespace msjit
