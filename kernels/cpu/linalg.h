// Factorisations of small dense matrices in double precision, row by row in memory. Textbook
// algorithms (Golub and Van Loan, Matrix Computations): elimination with row exchanges, Cholesky,
// Householder's reflections, Jacobi's rotations for singular values and symmetric eigenvalues.
// Those that are templates take double and std::complex<double>; a^H is then the conjugate
// transpose, of a real matrix the transpose.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/op.h"

namespace msjit::linalg {

template <class T>
using MatrixOf = std::vector<T>;
using Matrix = MatrixOf<double>;

inline double conjugate(double x) { return x; }
inline Complex128 conjugate(Complex128 x) { return std::conj(x); }

// Factors a (n x n) in place, P a = L U; rows[i] is the row of a that came to place i. Returns the
// sign of P. A zero pivot stays.
template <class T>
int factor_lu(int64_t n, T* a, int64_t* rows);
// x = a^-1 b for the factors and b (n x m).
template <class T>
void solve_lu(int64_t n, const T* lu, const int64_t* rows, const T* b, int64_t m, T* x);
// The lower triangle L of a = L L^H; false where a is not positive definite.
template <class T>
bool cholesky(int64_t n, const T* a, T* l);
// a (m x n) = q r, with q (m x k), r (k x n), k >= min(m, n) and at most m.
template <class T>
void qr(int64_t m, int64_t n, const T* a, int64_t k, T* q, T* r);
// a (m x n) = u diag(s) v^H, s falling, with u (m x p), v (n x q), p and q between min(m, n) and
// the whole.
template <class T>
void svd(int64_t m, int64_t n, const T* a, T* s, int64_t p, T* u, int64_t q, T* v);
// a = v diag(w) v^T for a symmetric a, w rising; reads the lower triangle.
void eigh(int64_t n, const double* a, double* w, double* v);

// Infer rule parts: a float input, or a complex one of an op that takes it, with matrices on its
// last two axes, square ones.
Status require_matrices(const InferCtx& ctx, int input);
Status require_square(const InferCtx& ctx, int input);

// Calls f(matrix of each input..., matrix of each output...) for each matrix of a stack; `f` takes
// (const T* const* in, T* const* out) and returns whether to go on.
template <class T>
using EachFnOf = bool (*)(const KernelCtx& ctx, const T* const* in, T* const* out);
using EachFn = EachFnOf<double>;
// False where f said so for any matrix. `tails` is how many axes of each output belong to one
// matrix. Complex inputs go to the second function, for ops that take them; the real outputs of
// such an op get the real parts.
Result<bool> each_matrix(KernelCtx& ctx, EachFn f, std::initializer_list<int> tails);
Result<bool> each_matrix(KernelCtx& ctx, EachFn f, EachFnOf<Complex128> of_complex,
                         std::initializer_list<int> tails);

}  // namespace msjit::linalg
