#include <algorithm>

#include "kernels/core/words.h"
#include "kernels/cpu/linalg.h"

namespace msjit {

namespace {

// The determinant; leaves the factors in `lu` and `rows`.
template <class T>
T determinant(int64_t n, linalg::MatrixOf<T>* lu, std::vector<int64_t>* rows) {
  T det = T(linalg::factor_lu(n, lu->data(), rows->data()));
  for (int64_t i = 0; i < n; ++i) det *= (*lu)[i * n + i];
  return det;
}

// det(a) a^-T
template <class T>
void of_regular(int64_t n, T det, const linalg::MatrixOf<T>& lu, const std::vector<int64_t>& rows,
                T* out) {
  linalg::MatrixOf<T> eye(n * n), inverse(n * n);
  for (int64_t i = 0; i < n; ++i) eye[i * n + i] = 1;
  linalg::solve_lu(n, lu.data(), rows.data(), eye.data(), n, inverse.data());
  for (int64_t r = 0; r < n; ++r)
    for (int64_t c = 0; c < n; ++c) out[r * n + c] = det * inverse[c * n + r];
}

// With a = u diag(s) v^H, the cofactors are det(u) det(v^H) conj(u) diag(p) v^T, where p[i] is the
// product of all s but s[i].
template <class T>
void of_singular(int64_t n, const T* a, T* out) {
  linalg::MatrixOf<T> s(n), u(n * n), v(n * n);
  linalg::svd(n, n, a, s.data(), n, u.data(), n, v.data());
  std::vector<int64_t> rows(n);
  linalg::MatrixOf<T> left = u, right = v;
  const T turn = determinant(n, &left, &rows) * linalg::conjugate(determinant(n, &right, &rows));
  std::vector<T> others(n, turn);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (j != i) others[i] *= s[j];
  std::fill(out, out + n * n, T(0));
  for (int64_t r = 0; r < n; ++r)
    for (int64_t c = 0; c < n; ++c)
      for (int64_t i = 0; i < n; ++i)
        out[r * n + c] += linalg::conjugate(u[r * n + i]) * others[i] * v[c * n + i];
}

template <class T>
bool find(const KernelCtx& ctx, const T* const* in, T* const* out) {
  const int64_t n = ctx.in[0].dim(ctx.in[0].rank() - 1);
  linalg::MatrixOf<T> lu(in[0], in[0] + n * n);
  std::vector<int64_t> rows(n);
  const T det = determinant(n, &lu, &rows);
  if (det == T(0))
    of_singular(n, in[0], out[0]);
  else
    of_regular(n, det, lu, rows, out[0]);
  return true;
}

}  // namespace

MSJIT_OP(cofactors)
    .doc(
        "Cofactors of square matrices, also of singular ones: the derivatives of their "
        "determinants.")
    .signature("x: Tensor")
    .traits(kComplex)
    .infer(linalg::square_infer)
    .cpu([](KernelCtx& ctx) -> Status {
      MSJIT_TRY([[maybe_unused]] const bool all,
                linalg::each_matrix(ctx, find<double>, find<Complex128>, {2}));
      return {};
    })
    .no_grad()
    .sample({.shapes = {{3, 3}}, .check_grad = false})
    .sample({.shapes = {{2, 2}}, .dtypes = {"complex64"}, .check_grad = false});

}  // namespace msjit
