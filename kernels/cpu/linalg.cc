#include "kernels/cpu/linalg.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/core/checks.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/strided.h"

namespace msjit::linalg {

int factor_lu(int64_t n, double* a, int64_t* rows) {
  int sign = 1;
  std::iota(rows, rows + n, int64_t{0});
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      std::swap(rows[k], rows[pivot]);
      sign = -sign;
    }
    if (a[k * n + k] == 0) continue;
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] /= a[k * n + k];
      if (factor == 0) continue;
      for (int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return sign;
}

void solve_lu(int64_t n, const double* lu, const int64_t* rows, const double* b, int64_t m,
              double* x) {
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

bool cholesky(int64_t n, const double* a, double* l) {
  std::fill_n(l, n * n, 0.0);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      double rest = a[i * n + j];
      for (int64_t k = 0; k < j; ++k) rest -= l[i * n + k] * l[j * n + k];
      if (i == j && !(rest > 0)) return false;
      l[i * n + j] = i == j ? std::sqrt(rest) : rest / l[j * n + j];
    }
  return true;
}

void qr(int64_t m, int64_t n, const double* a, int64_t k, double* q, double* r) {
  Matrix work(a, a + m * n), reflectors(m * std::min(m, n), 0.0);
  const int64_t steps = std::min(m, n);
  // (I - 2 v v^T) on the columns of a matrix.
  const auto reflect = [m](const double* v, double* target, int64_t columns) {
    for (int64_t j = 0; j < columns; ++j) {
      double dot = 0;
      for (int64_t i = 0; i < m; ++i) dot += v[i] * target[i * columns + j];
      for (int64_t i = 0; i < m; ++i) target[i * columns + j] -= 2 * dot * v[i];
    }
  };
  for (int64_t s = 0; s < steps && s < m - 1; ++s) {
    double* v = &reflectors[s * m];
    double length = 0;
    for (int64_t i = s; i < m; ++i) {
      v[i] = work[i * n + s];
      length += v[i] * v[i];
    }
    const double head = v[s];
    v[s] += std::copysign(std::sqrt(length), head);
    length += v[s] * v[s] - head * head;
    if (length == 0) continue;
    for (int64_t i = s; i < m; ++i) v[i] /= std::sqrt(length);
    reflect(v, work.data(), n);
  }
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = 0; j < n; ++j) r[i * n + j] = i <= j ? work[i * n + j] : 0;
  std::fill_n(q, m * k, 0.0);
  for (int64_t i = 0; i < k; ++i) q[i * k + i] = 1;
  for (int64_t s = std::min(steps, m - 1) - 1; s >= 0; --s) reflect(&reflectors[s * m], q, k);
}

namespace {

// Columns [filled, columns) of an orthonormal set in R^rows, after the given ones.
void complete_basis(int64_t rows, int64_t filled, int64_t columns, double* u) {
  for (int64_t c = filled, unit = 0; c < columns && unit < rows; ++unit) {
    Matrix v(rows, 0.0);
    v[unit] = 1;
    for (int turn = 0; turn < 2; ++turn)
      for (int64_t j = 0; j < c; ++j) {
        double dot = 0;
        for (int64_t i = 0; i < rows; ++i) dot += v[i] * u[i * columns + j];
        for (int64_t i = 0; i < rows; ++i) v[i] -= dot * u[i * columns + j];
      }
    const double length = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
    if (length < 1e-3) continue;
    for (int64_t i = 0; i < rows; ++i) u[i * columns + c] = v[i] / length;
    ++c;
  }
}

// Rotates rows p and q of two matrices whose rows are the vectors.
void rotate(double* x, int64_t size, int64_t p, int64_t q, double cosine, double sine) {
  for (int64_t i = 0; i < size; ++i) {
    const double a = x[p * size + i], b = x[q * size + i];
    x[p * size + i] = cosine * a - sine * b;
    x[q * size + i] = sine * a + cosine * b;
  }
}

// Cosine and sine of the rotation that takes the off-diagonal element of [[a, c], [c, b]] away.
void jacobi_angle(double a, double b, double c, double* cosine, double* sine) {
  const double tau = (b - a) / (2 * c);
  const double t = (tau >= 0 ? 1 : -1) / (std::fabs(tau) + std::sqrt(1 + tau * tau));
  *cosine = 1 / std::sqrt(1 + t * t);
  *sine = t * *cosine;
}

constexpr int kSweeps = 60;

// One-sided Jacobi: the rows of x (n vectors of length m) become orthogonal, v^T x_before.
void orthogonalise(int64_t n, int64_t m, double* x, double* v) {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool changed = false;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        double a = 0, b = 0, c = 0;
        for (int64_t i = 0; i < m; ++i) {
          a += x[p * m + i] * x[p * m + i];
          b += x[q * m + i] * x[q * m + i];
          c += x[p * m + i] * x[q * m + i];
        }
        if (!(std::fabs(c) > 1e-15 * std::sqrt(a * b)) || c == 0) continue;
        changed = true;
        double cosine, sine;
        jacobi_angle(a, b, c, &cosine, &sine);
        rotate(x, m, p, q, cosine, sine);
        rotate(v, n, p, q, cosine, sine);
      }
    if (!changed) return;
  }
}

// For m >= n.
void tall_svd(int64_t m, int64_t n, const double* a, double* s, int64_t p, double* u, int64_t q,
              double* v) {
  Matrix x(m * n), turned(n * n, 0.0), lengths(n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) x[j * m + i] = a[i * n + j];
  for (int64_t j = 0; j < n; ++j) turned[j * n + j] = 1;
  orthogonalise(n, m, x.data(), turned.data());
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), int64_t{0});
  for (int64_t j = 0; j < n; ++j)
    lengths[j] = std::sqrt(
        std::inner_product(x.begin() + j * m, x.begin() + (j + 1) * m, x.begin() + j * m, 0.0));
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return lengths[i] > lengths[j]; });
  int64_t filled = 0;
  for (int64_t c = 0; c < n; ++c) {
    const int64_t from = order[c];
    s[c] = lengths[from];
    for (int64_t i = 0; i < n; ++i) v[i * q + c] = turned[from * n + i];
    if (s[c] <= 1e-300) continue;
    for (int64_t i = 0; i < m; ++i) u[i * p + c] = x[from * m + i] / s[c];
    filled = c + 1;
  }
  complete_basis(m, filled, p, u);
}

}  // namespace

void svd(int64_t m, int64_t n, const double* a, double* s, int64_t p, double* u, int64_t q,
         double* v) {
  if (m >= n) return tall_svd(m, n, a, s, p, u, q, v);
  Matrix transposed(m * n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) transposed[j * m + i] = a[i * n + j];
  tall_svd(n, m, transposed.data(), s, q, v, p, u);
}

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
  if (x.dtype != DType::kFloat32 && x.dtype != DType::kFloat64)
    return type_error("[{}] matrices have an unsupported dtype, got {}, expected float32 or float64",
                      ctx.name(), dtype_name(x.dtype));
  if (x.shape.rank() >= 2) return {};
  return value_error("[{}] matrices have a wrong rank, got {}, expected at least 2", ctx.name(),
                     x.shape.rank());
}

Status require_square(const InferCtx& ctx, int input) {
  MSJIT_OK(require_matrices(ctx, input));
  const Shape& shape = ctx.in(input).shape;
  return ctx.require_eq(shape[shape.rank() - 2], shape[shape.rank() - 1], "sizes of a matrix");
}

Result<bool> each_matrix(KernelCtx& ctx, EachFn f, std::initializer_list<int> tails) {
  const Shape& first = ctx.in[0].shape();
  int64_t count = 1;
  for (int i = 0; i + 2 < first.rank(); ++i) count *= first[i];
  std::vector<Tensor> in, out;
  std::vector<int64_t> in_size, out_size;
  for (const Tensor& t : ctx.in) {
    MSJIT_TRY(Tensor wide, layout::contiguous_as(t, DType::kFloat64));
    in_size.push_back(count ? t.numel() / count : 0);
    in.push_back(std::move(wide));
  }
  auto tail = tails.begin();
  for (const Tensor& t : ctx.out) {
    Tensor wide = t;
    if (t.dtype() != DType::kFloat64) {
      MSJIT_TRY(wide, Tensor::empty(DType::kFloat64, t.shape()));
    }
    int64_t size = 1;
    for (int i = t.rank() - *tail; i < t.rank(); ++i) size *= t.dim(i);
    ++tail;
    out_size.push_back(size);
    out.push_back(std::move(wide));
  }
  for (int64_t n = 0; n < count; ++n) {
    const double* from[4];
    double* to[4];
    for (size_t i = 0; i < in.size(); ++i) from[i] = in[i].data_as<double>() + n * in_size[i];
    for (size_t i = 0; i < out.size(); ++i) to[i] = out[i].data_as<double>() + n * out_size[i];
    if (!f(ctx, from, to)) return false;
  }
  for (size_t i = 0; i < out.size(); ++i)
    if (!out[i].same(ctx.out[i])) convert_copy(out[i], ctx.out[i]);
  return true;
}

}  // namespace msjit::linalg
