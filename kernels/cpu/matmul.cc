#include "kernels/cpu/matmul.h"

#include <algorithm>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/gemv.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/parallel.h"

namespace msjit::product {

Status check_dtypes(const InferCtx& ctx, const Meta& a, const Meta& b) {
  if (a.dtype != b.dtype)
    return type_error("[{}] dtypes must match, got {} and {}", ctx.name(), dtype_name(a.dtype),
                      dtype_name(b.dtype));
  if (is_bool(a.dtype))
    return type_error("[{}] unsupported dtype, got bool, expected a number", ctx.name());
  return {};
}

Result<Shape> infer_shape(const InferCtx& ctx, const Shape& a, bool transpose_a, const Shape& b,
                          bool transpose_b) {
  int a_rank = a.rank(), b_rank = b.rank();
  if (a_rank == 0 || b_rank == 0)
    return value_error("[{}] operands must have at least one dimension, got shapes {} and {}",
                       ctx.name(), a.str(), b.str());
  Dim a_inner = a[a_rank == 1 || !transpose_a ? a_rank - 1 : a_rank - 2];
  Dim b_inner = b[b_rank == 1 || transpose_b ? b_rank - 1 : b_rank - 2];
  MSJIT_OK(ctx.require_eq(a_inner, b_inner, "inner dimensions"));
  Shape a_batch, b_batch;
  for (int i = 0; i + 2 < a_rank; ++i) a_batch.push_back(a[i]);
  for (int i = 0; i + 2 < b_rank; ++i) b_batch.push_back(b[i]);
  auto batch = ctx.broadcast(a_batch, b_batch);
  if (!batch.ok()) {
    ErrorPtr error = batch.take_error();
    if (error->kind != ErrorKind::kValue) return error;  // too large
    return value_error("[{}] leading sizes cannot be broadcast, got {} and {} in shapes {}, {}",
                       ctx.name(), a_batch.str(), b_batch.str(), a.str(), b.str());
  }
  Shape out = batch.take();
  if (a_rank > 1) out.push_back(a[transpose_a ? a_rank - 1 : a_rank - 2]);
  if (b_rank > 1) out.push_back(b[transpose_b ? b_rank - 2 : b_rank - 1]);
  return out;
}

namespace {

using onednn::Matrices;

// A tensor of rank >= 2 whose last two axes are rows and columns as the product needs them.
Tensor as_matrices(const Tensor& t, bool transpose, bool left) {
  if (t.rank() == 1) {
    Shape shape = left ? Shape{1, t.dim(0)} : Shape{t.dim(0), 1};
    Shape strides = left ? Shape{0, t.strides()[0]} : Shape{t.strides()[0], 0};
    return Tensor::view(t, shape, strides, 0);
  }
  return transpose ? layout::swap_axes(t, t.rank() - 2, t.rank() - 1) : t;
}

// Strides of axes of size one are arbitrary: sets them to what a matrix with unit stride on the
// other axis has.
void settle_strides(Matrices& m) {
  if (m.cols == 1 && m.rows == 1) {
    m.row_stride = m.col_stride = 1;
  } else if (m.cols == 1) {
    m.col_stride = 1;
  } else if (m.rows == 1) {
    m.row_stride = m.col_stride == 1 ? m.cols : 1;
  }
}

bool has_unit_stride(const Matrices& m) {
  return (m.col_stride == 1 && m.row_stride >= m.cols) ||
         (m.row_stride == 1 && m.col_stride >= m.rows);
}

// Merges the batch axes of `t`, broadcast to `batch`, into one axis; false when their strides do
// not allow it.
bool merge_batch(const Tensor& t, const Shape& batch, Matrices* m) {
  int lead = batch.rank() - (t.rank() - 2);
  int64_t merged = 1, stride = 0;
  bool all_spread = true;
  for (int i = batch.rank() - 1; i >= 0; --i) {
    if (batch[i] == 1) continue;
    bool spread = i < lead || t.dim(i - lead) == 1;
    int64_t own = spread ? 0 : t.strides()[i - lead];
    if (merged == 1) {
      stride = own;
    } else if (own != merged * stride) {
      return false;
    }
    all_spread &= own == 0;
    merged *= batch[i];
  }
  if (stride < 0) return false;
  m->batch = all_spread ? 1 : merged;
  m->batch_stride = all_spread ? m->rows * m->cols : stride;
  return true;
}

// An operand in a form that every backend can read; `holder` keeps a copy alive if one was made.
Result<Matrices> prepare(const Tensor& t, const Shape& batch, bool any_strides, Tensor* holder) {
  *holder = t;
  int r = t.rank();
  Matrices m{t.data(), 1, t.dim(r - 2), t.dim(r - 1), 0, t.strides()[r - 2], t.strides()[r - 1]};
  settle_strides(m);
  bool merged = merge_batch(t, batch, &m);
  if (merged && (any_strides || has_unit_stride(m))) return m;
  Tensor source = t;
  if (!merged) {
    Shape full = batch;
    full.push_back(m.rows);
    full.push_back(m.cols);
    source = layout::broadcast(t, full);
  }
  MSJIT_TRY(*holder, source.to_contiguous());
  m.data = holder->data();
  m.row_stride = m.cols;
  m.col_stride = 1;
  settle_strides(m);
  merge_batch(*holder, batch, &m);
  return m;
}

// (batch..., m, k) @ (k, n) is one product of batch * m rows when the rows are evenly spaced.
Tensor fold_rows(const Tensor& a) {
  Shape rows{a.numel() / a.dim(a.rank() - 1), a.dim(a.rank() - 1)};
  return layout::try_reshape(a, rows);
}

// oneDNN's relu turns NaN into 0, so relu is applied here, after the product.
template <class T>
void apply_relu(T* out, int64_t size) {
  parallel_for(
      size, kElementGrain,
      [out](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          out[i] = static_cast<float>(out[i]) <= 0 ? T(0.f) : out[i];
      },
      64 / sizeof(T));
}
void apply_relu(const Tensor& out) {
  if (out.dtype() == DType::kBFloat16)
    apply_relu(out.data_as<BFloat16>(), out.numel());
  else if (out.dtype() == DType::kFloat16)
    apply_relu(out.data_as<Half>(), out.numel());
  else
    apply_relu(out.data_as<float>(), out.numel());
}

template <class T>
void add_bias(T* out, int64_t rows, int64_t cols, const T* bias) {
  using U = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  for (int64_t i = 0; i < rows; ++i, out += cols)
    for (int64_t j = 0; j < cols; ++j)
      out[j] = static_cast<T>(static_cast<U>(out[j]) + static_cast<U>(bias[j]));
}

void run_loops(const Matrices& a, const Matrices& b, const Tensor& out, const void* bias) {
  int64_t batch = std::max(a.batch, b.batch), size = item_size(out.dtype());
  auto at = [&](const Matrices& m, int64_t i) {
    const char* data = static_cast<const char*>(m.data);
    return data + (m.batch == 1 ? 0 : i * m.batch_stride * size);
  };
  int64_t area = a.rows * b.cols;
  for (int64_t i = 0; i < batch; ++i)
    gemm::multiply(out.dtype(), a.rows, b.cols, a.cols, {at(a, i), a.row_stride, a.col_stride},
                   {at(b, i), b.row_stride, b.col_stride}, out.data_as<char>() + i * area * size,
                   b.cols);
  if (!bias) return;
  dispatch_dtype(out.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (!std::is_same_v<T, bool> && std::is_arithmetic_v<T>)
      add_bias(out.data_as<T>(), batch * a.rows, b.cols, static_cast<const T*>(bias));
  });
}

void run_small(const Matrices& a, const Matrices& b, const Tensor& out, const void* bias) {
  int64_t batch = std::max(a.batch, b.batch);
  float* data = out.data_as<float>();
  for (int64_t i = 0; i < batch; ++i, data += a.rows * b.cols)
    gemm::multiply_small(
        a.rows, b.cols, a.cols,
        {static_cast<const float*>(a.data) + (a.batch == 1 ? 0 : i * a.batch_stride), a.row_stride,
         a.col_stride},
        {static_cast<const float*>(b.data) + (b.batch == 1 ? 0 : i * b.batch_stride), b.row_stride,
         b.col_stride},
        data);
  if (bias) add_bias(out.data_as<float>(), batch * a.rows, b.cols, static_cast<const float*>(bias));
}

// Whether one side is a vector: a single row on the left or a single column on the right.
bool is_vector_product(const Matrices& a, const Matrices& b) {
  return (a.rows == 1 && a.col_stride == 1) || (b.cols == 1 && b.row_stride == 1);
}

void run_vectors(const Matrices& a, const Matrices& b, const Tensor& out, const void* bias) {
  const bool row = a.rows == 1 && a.col_stride == 1;
  const Matrices &vector = row ? a : b, &matrix = row ? b : a;
  const auto at = [](const Matrices& m, int64_t i) {
    return static_cast<const float*>(m.data) + (m.batch == 1 ? 0 : i * m.batch_stride);
  };
  const int64_t k = a.cols, n = row ? b.cols : a.rows;
  parallel_for(std::max(a.batch, b.batch), std::max<int64_t>(1, kElementGrain / (k * n)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   gemm::Matrix lines{at(matrix, i), matrix.row_stride, matrix.col_stride};
                   if (!row) std::swap(lines.row_stride, lines.col_stride);
                   gemm::multiply_vector(k, n, at(vector, i), lines,
                                         static_cast<const float*>(bias), row ? 1 : 0,
                                         out.data_as<float>() + i * n);
                 }
               });
}

Status multiply(const Operands& o, const Tensor& out);

// 16-bit floats without native support: computed in float32 and rounded once at the end.
Status run_widened(const Operands& o, const Tensor& out) {
  MSJIT_TRY(Tensor a, layout::cast_to(o.a, DType::kFloat32));
  MSJIT_TRY(Tensor b, layout::cast_to(o.b, DType::kFloat32));
  MSJIT_TRY(Tensor wide, Tensor::empty(DType::kFloat32, out.shape()));
  Tensor bias;
  if (o.bias) {
    MSJIT_TRY(bias, layout::cast_to(*o.bias, DType::kFloat32));
  }
  MSJIT_OK(multiply({a, b, o.transpose_a, o.transpose_b, o.bias ? &bias : nullptr}, wide));
  MSJIT_TRY(Tensor narrow, layout::cast_to(wide, out.dtype()));
  copy_strided(narrow, out);
  return {};
}

// The inner size is 0: the product is zero, then bias and activation apply.
Status run_empty_inner(const Operands& o, const Tensor& out) {
  layout::fill_zero(out);
  if (!o.bias) return {};
  copy_strided(layout::broadcast(*o.bias, out.shape()), out);
  return {};
}

// The dims before the last two, broadcast.
Shape batch_of(const Tensor& a, const Tensor& b) {
  Shape batch;
  const int rank = std::max(a.rank(), b.rank()) - 2;
  for (int i = 0; i < rank; ++i) {
    const int at_a = i - (rank - (a.rank() - 2)), at_b = i - (rank - (b.rank() - 2));
    const Dim size = at_a >= 0 ? a.dim(at_a) : 1;
    batch.push_back(size == 1 && at_b >= 0 ? b.dim(at_b) : size);
  }
  return batch;
}

Status multiply(const Operands& o, const Tensor& out) {
  DType dtype = out.dtype();
  Tensor a = as_matrices(o.a, o.transpose_a, true), b = as_matrices(o.b, o.transpose_b, false);
  if (a.dim(a.rank() - 1) == 0) return run_empty_inner(o, out);
  const bool is_library = onednn::multiplies(dtype);
  if (item_size(dtype) == 2 && is_float(dtype) && !is_library) return run_widened(o, out);
  if (a.rank() > 2 && b.rank() == 2)
    if (Tensor folded = fold_rows(a)) a = std::move(folded);
  const Shape batch = batch_of(a, b);
  bool is_f32 = dtype == DType::kFloat32;
  bool small = is_f32 && out.numel() * a.dim(a.rank() - 1) <= gemm::kSmallProduct;
  bool loops = !is_library;
  Tensor a_holder, b_holder, bias;
  MSJIT_TRY(Matrices left, prepare(a, batch, small || loops, &a_holder));
  MSJIT_TRY(Matrices right, prepare(b, batch, small || loops, &b_holder));
  if (batch.numel() > std::max(left.batch, right.batch)) {  // both sides only repeat
    Shape full = batch;
    full.push_back(left.rows);
    full.push_back(left.cols);
    MSJIT_TRY(a, layout::broadcast(a, full).to_contiguous());
    MSJIT_TRY(left, prepare(a, batch, small || loops, &a_holder));
  }
  if (o.bias) {
    MSJIT_TRY(bias, is_library ? layout::cast_to(*o.bias, onednn::bias_dtype(dtype)) : *o.bias);
    MSJIT_TRY(bias, bias.to_contiguous());
  }
  const void* bias_data = o.bias ? bias.data() : nullptr;
  if (small) return run_small(left, right, out, bias_data), Status();
  if (loops) return run_loops(left, right, out, bias_data), Status();
  if (is_f32 && is_vector_product(left, right))
    return run_vectors(left, right, out, bias_data), Status();
  // A copy that was made here dies with this call, and slices of a batch are no weight as a whole.
  bool is_weight = o.is_weight && batch.rank() == 0 && right.data == o.b.data();
  return onednn::matmul(dtype, left, right, bias_data, out.data(), is_weight ? &o.b : nullptr);
}

// The memory of contiguous complex numbers as real ones: the last axis holds (re, im) pairs.
Tensor as_pairs(const Tensor& t, Shape shape) {
  shape[shape.rank() - 1] *= 2;
  const int64_t offset = t.data_as<char>() - static_cast<char*>(t.storage()->data);
  return Tensor::from_storage(t.storage(), real_dtype(t.dtype()), shape, contiguous_strides(shape),
                              offset);
}

// Each element of contiguous matrices as the block (re, im), (-im, re).
template <class T>
Status as_blocks(const Tensor& t, Tensor* out) {
  Shape shape = t.shape();
  const int rank = t.rank();
  const int64_t cols = t.dim(rank - 1);
  shape[rank - 1] *= 2;
  shape[rank - 2] *= 2;
  MSJIT_TRY(*out, Tensor::empty(dtype_of<T>(), shape));
  const auto* from = t.data_as<std::complex<T>>();
  T* upper = out->data_as<T>();
  for (int64_t row = 0; row < t.numel() / cols; ++row, upper += 4 * cols, from += cols) {
    T* lower = upper + 2 * cols;
    for (int64_t i = 0; i < cols; ++i) {
      upper[2 * i] = lower[2 * i + 1] = from[i].real();
      upper[2 * i + 1] = from[i].imag();
      lower[2 * i] = -from[i].imag();
    }
  }
  return {};
}

// A complex product as one product of real matrices, which runs at the speed of the real kernels. A
// row of k complex numbers is read as 2k real ones; its product with the blocks of b is the row of
// the result.
Status multiply_complex(const Operands& o, const Tensor& out) {
  Tensor a = as_matrices(o.a, o.transpose_a, true), b = as_matrices(o.b, o.transpose_b, false);
  if (a.dim(a.rank() - 1) == 0) return run_empty_inner(o, out);
  MSJIT_TRY(a, a.to_contiguous());
  MSJIT_TRY(b, b.to_contiguous());
  Tensor blocks;
  MSJIT_OK(b.dtype() == DType::kComplex64 ? as_blocks<float>(b, &blocks)
                                          : as_blocks<double>(b, &blocks));
  Shape shape;
  for (int i = 0; i < std::max(a.rank(), b.rank()) - 2; ++i) shape.push_back(out.dim(i));
  shape.push_back(a.dim(a.rank() - 2));
  shape.push_back(b.dim(b.rank() - 1));
  const Tensor rows = as_pairs(a, a.shape());
  Tensor bias;
  if (o.bias) {
    MSJIT_TRY(const Tensor own, o.bias->to_contiguous());
    bias = as_pairs(own, own.shape());
  }
  return multiply({rows, blocks, false, false, o.bias ? &bias : nullptr}, as_pairs(out, shape));
}

// As much of an output as stays in a core's cache, so that relu finds it there after the product.
constexpr int64_t kReluBytes = 256 << 10;

// Computes the product for some rows at a time, each part followed by relu. `rows` is o.a as one
// matrix.
Status run_in_parts(const Operands& o, const Tensor& rows, const Tensor& out) {
  int64_t count = rows.dim(0), cols = out.numel() / count;
  int64_t row_bytes = cols * item_size(out.dtype());
  int64_t step = std::max<int64_t>(kReluBytes * num_threads() / row_bytes / 64, 1) * 64;
  for (int64_t begin = 0; begin < count; begin += step) {
    int64_t size = std::min(step, count - begin);
    Tensor a = layout::slice_axis(rows, 0, begin, size);
    Tensor target = Tensor::view(out, {size, cols}, {cols, 1}, begin * cols);
    MSJIT_OK(multiply({a, o.b, false, o.transpose_b, o.bias, o.is_weight}, target));
    apply_relu(target);
  }
  return {};
}

}  // namespace

Status run(const Operands& o, const Tensor& out) {
  if (out.numel() == 0) return {};
  if (is_complex(out.dtype())) return multiply_complex(o, out);
  if (o.relu && out.nbytes() > kReluBytes * num_threads())
    if (Tensor rows = fold_rows(o.a)) return run_in_parts(o, rows, out);
  MSJIT_OK(multiply(o, out));
  if (o.relu) apply_relu(out);
  return {};
}

}  // namespace msjit::product
