// Factorisations of small dense matrices in double precision, row by row in memory. Textbook
// algorithms (Golub and Van Loan, Matrix Computations): elimination with row exchanges, Cholesky,
// Householder's reflections, Jacobi's rotations for singular values and symmetric eigenvalues.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/op.h"

namespace msjit::linalg {

using Matrix = std::vector<double>;

// Factors a (n x n) in place, P a = L U; rows[i] is the row of a that came to place i. Returns the
// sign of P. A zero pivot stays.
int factor_lu(int64_t n, double* a, int64_t* rows);
// x = a^-1 b for the factors and b (n x m).
void solve_lu(int64_t n, const double* lu, const int64_t* rows, const double* b, int64_t m,
              double* x);
// The lower triangle L of a = L L^T; false where a is not positive definite.
bool cholesky(int64_t n, const double* a, double* l);
// a (m x n) = q r, with q (m x k), r (k x n), k >= min(m, n) and at most m.
void qr(int64_t m, int64_t n, const double* a, int64_t k, double* q, double* r);
// a (m x n) = u diag(s) v^T, s falling, with u (m x p), v (n x q), p and q between min(m, n) and
// the whole.
void svd(int64_t m, int64_t n, const double* a, double* s, int64_t p, double* u, int64_t q,
         double* v);
// a = v diag(w) v^T for a symmetric a, w rising; reads the lower triangle.
void eigh(int64_t n, const double* a, double* w, double* v);

// Infer rule parts: a float input with matrices on its last two axes, square ones.
Status require_matrices(const InferCtx& ctx, int input);
Status require_square(const InferCtx& ctx, int input);

// Calls f(double matrix of each input..., double matrix of each output...) for each matrix of a
// stack; `f` takes (const double* const* in, double* const* out) and returns whether to go on.
using EachFn = bool (*)(const KernelCtx& ctx, const double* const* in, double* const* out);
// False where f said so for any matrix. `tails` is how many axes of each output belong to one
// matrix.
Result<bool> each_matrix(KernelCtx& ctx, EachFn f, std::initializer_list<int> tails);

}  // namespace msjit::linalg
