// Factorisations of small dense matrices in double precision, stored by rows. Textbook algorithms
// (Golub and Van Loan, Matrix Computations): elimination with row exchanges, Cholesky, Householder
// reflections, Jacobi rotations for singular values and symmetric eigenvalues. The templates take
// double and std::complex<double>. a^H is the conjugate transpose, for a real matrix the transpose.
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

// Factors a (n x n) in place: P a = L U. rows[i] is the row of a that moved to place i. Returns the
// sign of P. A zero pivot is left in place.
template <class T>
int factor_lu(int64_t n, T* a, int64_t* rows);
// x = a^-1 b, given the factors of a, and b (n x m).
template <class T>
void solve_lu(int64_t n, const T* lu, const int64_t* rows, const T* b, int64_t m, T* x);
// The lower triangle L of a = L L^H; false when a is not positive definite.
template <class T>
bool cholesky(int64_t n, const T* a, T* l);
// a (m x n) = q r, with q (m x k), r (k x n), k >= min(m, n) and at most m.
template <class T>
void qr(int64_t m, int64_t n, const T* a, int64_t k, T* q, T* r);
// a (m x n) = u diag(s) v^H with s descending, u (m x p), v (n x q). p is from min(m, n) to m, q
// from min(m, n) to n.
template <class T>
void svd(int64_t m, int64_t n, const T* a, T* s, int64_t p, T* u, int64_t q, T* v);
// a = v diag(w) v^T for a symmetric a, with w ascending; reads the lower triangle.
void eigh(int64_t n, const double* a, double* w, double* v);

// Parts of infer rules. The input is a float tensor, or a complex one if the op takes it, with
// matrices on its last two axes (square ones).
Status require_matrices(const InferCtx& ctx, int input);
Status require_square(const InferCtx& ctx, int input);
// The infer rule of an op from square matrices to as many of the same size.
Status square_infer(InferCtx& ctx);

// Calls f(matrix of each input..., matrix of each output...) for each matrix of a stack; `f` takes
// (const T* const* in, T* const* out) and returns whether to go on.
template <class T>
using EachFnOf = bool (*)(const KernelCtx& ctx, const T* const* in, T* const* out);
using EachFn = EachFnOf<double>;
// False when f returned false for a matrix. `tails` is the number of axes of each output that
// belong to one matrix. Complex inputs go to `of_complex`, for ops that take them; real outputs of
// such an op get the real parts.
Result<bool> each_matrix(KernelCtx& ctx, EachFn f, std::initializer_list<int> tails);
Result<bool> each_matrix(KernelCtx& ctx, EachFn f, EachFnOf<Complex128> of_complex,
                         std::initializer_list<int> tails);

}  // namespace msjit::linalg
