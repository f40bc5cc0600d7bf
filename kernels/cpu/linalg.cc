#include "kernels/cpu/linalg.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "kernels/core/checks.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/strided.h"

namespace msjit::linalg {

template <class T>
int factor_lu(int64_t n, T* a, int64_t* rows) {
  int sign = 1;
  std::iota(rows, rows + n, int64_t{0});
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      std::swap(rows[k], rows[pivot]);
      sign = -sign;
    }
    if (a[k * n + k] == T(0)) continue;
    for (int64_t i = k + 1; i < n; ++i) {
      const T factor = a[i * n + k] /= a[k * n + k];
      if (factor == T(0)) continue;
      for (int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return sign;
}

template <class T>
void solve_lu(int64_t n, const T* lu, const int64_t* rows, const T* b, int64_t m, T* x) {
  for (int64_t i = 0; i < n; ++i) {
    std::copy_n(b + rows[i] * m, m, x + i * m);
    for (int64_t k = 0; k < i; ++k)
      for (int64_t j = 0; j < m; ++j) x[i * m + j] -= lu[i * n + k] * x[k * m + j];
  }
  for (int64_t i = n - 1; i >= 0; --i) {
    for (int64_t k = i + 1; k < n; ++k)
      for (int64_t j = 0; j < m; ++j) x[i * m + j] -= lu[i * n + k] * x[k * m + j];
    for (int64_t j = 0; j < m; ++j) x[i * m + j] /= lu[i * n + i];
  }
}

template <class T>
bool cholesky(int64_t n, const T* a, T* l) {
  std::fill_n(l, n * n, T(0));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      T rest = a[i * n + j];
      for (int64_t k = 0; k < j; ++k) rest -= l[i * n + k] * conjugate(l[j * n + k]);
      const double left = std::real(rest);
      if (i == j && !(left > 0)) return false;
      l[i * n + j] = i == j ? T(std::sqrt(left)) : rest / l[j * n + j];
    }
  return true;
}

namespace {

// x / |x|; 1 for x = 0.
double unit(double x) { return std::copysign(1.0, x); }
Complex128 unit(Complex128 x) { return x == 0.0 ? Complex128(1) : x / std::abs(x); }

// Multiplies rows of r by units, and columns of q by their inverses, until the diagonal of r is
// real and has the signs that LAPACK gives it.
void make_diagonal_real(int64_t m, int64_t n, int64_t k, Complex128* q, Complex128* r) {
  for (int64_t i = 0; i < std::min(m, n); ++i) {
    const Complex128 old = r[i * n + i];
    if (old.imag() == 0) continue;
    const bool last = i == m - 1;  // no reflection was applied to the last row
    const Complex128 turn =
        conjugate(unit(old)) * std::copysign(1.0, last ? -old.real() : old.real());
    for (int64_t j = i; j < n; ++j) r[i * n + j] *= turn;
    r[i * n + i] = r[i * n + i].real();
    for (int64_t j = 0; j < m; ++j) q[j * k + i] *= conjugate(turn);
  }
}

}  // namespace

template <class T>
void qr(int64_t m, int64_t n, const T* a, int64_t k, T* q, T* r) {
  MatrixOf<T> work(a, a + m * n), reflectors(m * std::min(m, n), T(0));
  const int64_t steps = std::min(m, n);
  // (I - 2 v v^H) on the columns of a matrix.
  const auto reflect = [m](const T* v, T* target, int64_t columns) {
    for (int64_t j = 0; j < columns; ++j) {
      T dot = 0;
      for (int64_t i = 0; i < m; ++i) dot += conjugate(v[i]) * target[i * columns + j];
      for (int64_t i = 0; i < m; ++i) target[i * columns + j] -= 2.0 * dot * v[i];
    }
  };
  for (int64_t s = 0; s < steps && s < m - 1; ++s) {
    T* v = &reflectors[s * m];
    double length = 0;
    for (int64_t i = s; i < m; ++i) {
      v[i] = work[i * n + s];
      length += std::norm(v[i]);
    }
    const T head = v[s];
    // Adds with the sign (or angle) of the existing value, so that nothing cancels.
    v[s] += unit(head) * std::sqrt(length);
    length += std::norm(v[s]) - std::norm(head);
    if (length == 0) continue;
    for (int64_t i = s; i < m; ++i) v[i] /= std::sqrt(length);
    reflect(v, work.data(), n);
  }
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = 0; j < n; ++j) r[i * n + j] = i <= j ? work[i * n + j] : T(0);
  std::fill_n(q, m * k, T(0));
  for (int64_t i = 0; i < k; ++i) q[i * k + i] = 1;
  for (int64_t s = std::min(steps, m - 1) - 1; s >= 0; --s) reflect(&reflectors[s * m], q, k);
  if constexpr (!std::is_same_v<T, double>) make_diagonal_real(m, n, k, q, r);
}

namespace {

template <class T>
double length_of(const T* x, int64_t size) {
  double total = 0;
  for (int64_t i = 0; i < size; ++i) total += std::norm(x[i]);
  return std::sqrt(total);
}

// Completes an orthonormal set of vectors of `rows` numbers: columns [filled, columns).
template <class T>
void complete_basis(int64_t rows, int64_t filled, int64_t columns, T* u) {
  for (int64_t c = filled, place = 0; c < columns && place < rows; ++place) {
    MatrixOf<T> v(rows, T(0));
    v[place] = 1;
    for (int turn = 0; turn < 2; ++turn)
      for (int64_t j = 0; j < c; ++j) {
        T dot = 0;
        for (int64_t i = 0; i < rows; ++i) dot += conjugate(u[i * columns + j]) * v[i];
        for (int64_t i = 0; i < rows; ++i) v[i] -= dot * u[i * columns + j];
      }
    const double length = length_of(v.data(), rows);
    if (length < 1e-3) continue;
    for (int64_t i = 0; i < rows; ++i) u[i * columns + c] = v[i] / length;
    ++c;
  }
}

// Rotates rows p and q of two matrices whose rows are the vectors.
template <class T>
void rotate(T* x, int64_t size, int64_t p, int64_t q, double cosine, double sine) {
  for (int64_t i = 0; i < size; ++i) {
    const T a = x[p * size + i], b = x[q * size + i];
    x[p * size + i] = cosine * a - sine * b;
    x[q * size + i] = sine * a + cosine * b;
  }
}

// Cosine and sine of the rotation that makes the off-diagonal element of [[a, c], [c, b]] zero.
void jacobi_angle(double a, double b, double c, double* cosine, double* sine) {
  const double tau = (b - a) / (2 * c);
  const double t = (tau >= 0 ? 1 : -1) / (std::fabs(tau) + std::sqrt(1 + tau * tau));
  *cosine = 1 / std::sqrt(1 + t * t);
  *sine = t * *cosine;
}

constexpr int kSweeps = 60;

// One-sided Jacobi: makes the rows of x (n vectors of length m) orthogonal; v is rotated along.
template <class T>
void orthogonalise(int64_t n, int64_t m, T* x, T* v) {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool changed = false;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        double a = 0, b = 0;
        T c = 0;
        for (int64_t i = 0; i < m; ++i) {
          a += std::norm(x[p * m + i]);
          b += std::norm(x[q * m + i]);
          c += conjugate(x[p * m + i]) * x[q * m + i];
        }
        if (!(std::abs(c) > 1e-15 * std::sqrt(a * b)) || c == T(0)) continue;
        changed = true;
        // Rotated by the angle of c, the two vectors have a real product, as real vectors have.
        const T turn = conjugate(unit(c));
        for (int64_t i = 0; i < m; ++i) x[q * m + i] *= turn;
        for (int64_t i = 0; i < n; ++i) v[q * n + i] *= turn;
        double cosine, sine;
        jacobi_angle(a, b, std::abs(c), &cosine, &sine);
        rotate(x, m, p, q, cosine, sine);
        rotate(v, n, p, q, cosine, sine);
      }
    if (!changed) return;
  }
}

// For m >= n.
template <class T>
void tall_svd(int64_t m, int64_t n, const T* a, T* s, int64_t p, T* u, int64_t q, T* v) {
  MatrixOf<T> x(m * n), turned(n * n, T(0));
  Matrix lengths(n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) x[j * m + i] = a[i * n + j];
  for (int64_t j = 0; j < n; ++j) turned[j * n + j] = 1;
  orthogonalise(n, m, x.data(), turned.data());
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), int64_t{0});
  for (int64_t j = 0; j < n; ++j) lengths[j] = length_of(&x[j * m], m);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return lengths[i] > lengths[j]; });
  int64_t filled = 0;
  for (int64_t c = 0; c < n; ++c) {
    const int64_t from = order[c];
    s[c] = lengths[from];
    for (int64_t i = 0; i < n; ++i) v[i * q + c] = turned[from * n + i];
    if (lengths[from] <= 1e-300) continue;
    for (int64_t i = 0; i < m; ++i) u[i * p + c] = x[from * m + i] / lengths[from];
    filled = c + 1;
  }
  complete_basis(m, filled, p, u);
}

}  // namespace

template <class T>
void svd(int64_t m, int64_t n, const T* a, T* s, int64_t p, T* u, int64_t q, T* v) {
  if (m >= n) return tall_svd(m, n, a, s, p, u, q, v);
  MatrixOf<T> turned(m * n);  // a^H = v diag(s) u^H
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) turned[j * m + i] = conjugate(a[i * n + j]);
  tall_svd(n, m, turned.data(), s, q, v, p, u);
}

#define MSJIT_INSTANTIATE(T)                                                        \
  template int factor_lu(int64_t, T*, int64_t*);                                    \
  template void solve_lu(int64_t, const T*, const int64_t*, const T*, int64_t, T*); \
  template bool cholesky(int64_t, const T*, T*);                                    \
  template void qr(int64_t, int64_t, const T*, int64_t, T*, T*);                    \
  template void svd(int64_t, int64_t, const T*, T*, int64_t, T*, int64_t, T*);
MSJIT_INSTANTIATE(double)
MSJIT_INSTANTIATE(Complex128)
#undef MSJIT_INSTANTIATE

void eigh(int64_t n, const double* a, double* w, double* v) {
  Matrix x(n * n), vectors(n * n, 0.0);
  for (int64_t i = 0; i < n; ++i) {
    vectors[i * n + i] = 1;
    for (int64_t j = 0; j < n; ++j) x[i * n + j] = a[std::max(i, j) * n + std::min(i, j)];
  }
  double total = 0;
  for (const double value : x) total += value * value;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double off = 0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < i; ++j) off += x[i * n + j] * x[i * n + j];
    if (!(off > 1e-32 * total)) break;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        if (x[p * n + q] == 0) continue;
        double cosine, sine;
        jacobi_angle(x[p * n + p], x[q * n + q], x[p * n + q], &cosine, &sine);
        rotate(x.data(), n, p, q, cosine, sine);
        for (int64_t i = 0; i < n; ++i) {
          const double left = x[i * n + p], right = x[i * n + q];
          x[i * n + p] = cosine * left - sine * right;
          x[i * n + q] = sine * left + cosine * right;
        }
        rotate(vectors.data(), n, p, q, cosine, sine);
      }
  }
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return x[i * n + i] < x[j * n + j]; });
  for (int64_t c = 0; c < n; ++c) {
    w[c] = x[order[c] * n + order[c]];
    for (int64_t i = 0; i < n; ++i) v[i * n + c] = vectors[order[c] * n + i];
  }
}

Status require_matrices(const InferCtx& ctx, int input) {
  const Meta& x = ctx.in(input);
  if (x.dtype != DType::kFloat32 && x.dtype != DType::kFloat64 && !is_complex(x.dtype))
    return type_error(
        "[{}] matrices have an unsupported dtype, got {}, expected float32 or float64", ctx.name(),
        dtype_name(x.dtype));
  if (x.shape.rank() >= 2) return {};
  return value_error("[{}] matrices have a wrong rank, got {}, expected at least 2", ctx.name(),
                     x.shape.rank());
}

Status require_square(const InferCtx& ctx, int input) {
  MSJIT_OK(require_matrices(ctx, input));
  const Shape& shape = ctx.in(input).shape;
  return ctx.require_eq(shape[shape.rank() - 2], shape[shape.rank() - 1], "sizes of a matrix");
}

Status square_infer(InferCtx& ctx) {
  MSJIT_OK(require_square(ctx, 0));
  ctx.add_output(ctx.in(0).dtype, ctx.in(0).shape);
  return {};
}

namespace {

template <class T>
Result<bool> each_matrix_of(KernelCtx& ctx, EachFnOf<T> f, std::initializer_list<int> tails) {
  const DType wide_dtype = std::is_same_v<T, double> ? DType::kFloat64 : DType::kComplex128;
  const Shape& first = ctx.in[0].shape();
  int64_t count = 1;
  for (int i = 0; i + 2 < first.rank(); ++i) count *= first[i];
  std::vector<Tensor> in, out;
  std::vector<int64_t> in_size, out_size;
  for (const Tensor& t : ctx.in) {
    MSJIT_TRY(Tensor wide, layout::contiguous_as(t, wide_dtype));
    in_size.push_back(count ? t.numel() / count : 0);
    in.push_back(std::move(wide));
  }
  auto tail = tails.begin();
  for (const Tensor& t : ctx.out) {
    Tensor wide = t;
    if (t.dtype() != wide_dtype) {
      MSJIT_TRY(wide, Tensor::empty(wide_dtype, t.shape()));
    }
    int64_t size = 1;
    for (int i = t.rank() - *tail; i < t.rank(); ++i) size *= t.dim(i);
    ++tail;
    out_size.push_back(size);
    out.push_back(std::move(wide));
  }
  for (int64_t n = 0; n < count; ++n) {
    const T* from[4];
    T* to[4];
    for (size_t i = 0; i < in.size(); ++i) from[i] = in[i].template data_as<T>() + n * in_size[i];
    for (size_t i = 0; i < out.size(); ++i) to[i] = out[i].template data_as<T>() + n * out_size[i];
    if (!f(ctx, from, to)) return false;
  }
  for (size_t i = 0; i < out.size(); ++i)
    if (!out[i].same(ctx.out[i])) convert_copy(out[i], ctx.out[i]);
  return true;
}

}  // namespace

Result<bool> each_matrix(KernelCtx& ctx, EachFn f, std::initializer_list<int> tails) {
  return each_matrix_of<double>(ctx, f, tails);
}

Result<bool> each_matrix(KernelCtx& ctx, EachFn f, EachFnOf<Complex128> of_complex,
                         std::initializer_list<int> tails) {
  return is_complex(ctx.in[0].dtype()) ? each_matrix_of<Complex128>(ctx, of_complex, tails)
                                       : each_matrix_of<double>(ctx, f, tails);
}

}  // namespace msjit::linalg
