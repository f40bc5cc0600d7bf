#include <algorithm>

#include "kernels/core/words.h"
#include "kernels/cpu/linalg.h"

namespace msjit {

extern const OpDef op_eye;

using namespace words;

namespace {

Status infer(InferCtx& ctx) {
  MSJIT_OK(linalg::require_matrices(ctx, 0));
  const Shape& x = ctx.in(0).shape;
  const int last = x.rank() - 1;
  const int64_t m = x[last - 1], n = x[last], k = std::min(m, n);
  const bool full = ctx.attrs[0].as_bool();
  Shape s = x, u = x, v = x;
  s.set_rank(last);
  s[last - 1] = k;
  u[last] = full ? m : k;
  v[last - 1] = n;
  v[last] = full ? n : k;
  ctx.add_output(real_dtype(ctx.in(0).dtype), s);
  for (const Shape& shape : {u, v}) ctx.add_output(ctx.in(0).dtype, shape);
  return {};
}

template <class T>
bool factor(const KernelCtx& ctx, const T* const* in, T* const* out) {
  const Tensor &x = ctx.in[0], &u = ctx.out[1], &v = ctx.out[2];
  const int last = x.rank() - 1;
  linalg::svd(x.dim(last - 1), x.dim(last), in[0], out[0], u.dim(last), out[1], v.dim(last),
              out[2]);
  return true;
}

// x^H y
Val product(const Val& x, const Val& y) { return matmul(conj(x), y, true); }

// For reduced factors: Townsend, Differentiating the singular value decomposition, 2016. Complex
// singular vectors are only determined up to a common angle of both; Wan and Zhang, Automatic
// differentiation for complex valued SVD, 2019, give the term that this adds.
void vjp(Vjp& vjp) {
  const Val s = vjp.out(0), u = vjp.out(1), v = vjp.out(2);
  const Val row = expand_dims(s, -2), column = expand_dims(s, -1);
  const int64_t k = s.shape().back();
  const Val eye = call_in(vjp.sink, op_eye, {}, {AttrValue(k), AttrValue(k), AttrValue(s.dtype())});
  Val middle = eye * expand_dims(vjp.grad(0), -2);
  // 1 / (s_j^2 - s_i^2), and 0 on the diagonal.
  const Val gap = (row - column) * (row + column);
  const Val f = (1.0 - eye) / (gap + eye);
  if (is_complex(u.dtype())) middle = cast(middle, u.dtype());
  if (vjp.has_grad(1)) {
    const Val all = product(u, vjp.grad(1)), t = all * f;
    middle = middle + (t + conj(swap_last_two(t))) * row;
    if (is_complex(u.dtype()))
      middle = middle + (all - conj(swap_last_two(all))) * (eye / (row * 2.0));
  }
  if (vjp.has_grad(2)) {
    const Val t = product(v, vjp.grad(2)) * f;
    middle = middle + column * (t + conj(swap_last_two(t)));
  }
  Val total = matmul(matmul(u, middle), conj(v), false, true);
  if (vjp.has_grad(1) && u.shape()[u.shape().rank() - 2] > k) {
    const Val g = vjp.grad(1) / row;
    total = total + matmul(g - matmul(u, product(u, g)), conj(v), false, true);
  }
  if (vjp.has_grad(2) && v.shape()[v.shape().rank() - 2] > k) {
    const Val g = vjp.grad(2) / row;
    total = total + matmul(u, conj(g - matmul(v, product(v, g))), false, true);
  }
  vjp.set_grad(0, total);
}

}  // namespace

MSJIT_OP(svd)
    .doc(
        "Singular values, falling, and the matrices U and V with x = U @ diag(S) @ V.T, of complex "
        "ones V.mH; square U and V when full, which are not differentiable unless x is square.")
    .signature("x: Tensor, full: bool = False")
    .traits(kComplex)
    .outputs(3)
    .infer(infer)
    .cpu([](KernelCtx& ctx) -> Status {
      MSJIT_TRY([[maybe_unused]] const bool all,
                linalg::each_matrix(ctx, factor<double>, factor<Complex128>, {1, 2, 2}));
      return {};
    })
    .vjp(vjp)
    .sample({.shapes = {{3, 2}}, .check_grad = false})
    .sample({.shapes = {{3, 2}}, .dtypes = {"complex64"}, .check_grad = false});

}  // namespace msjit
