#include "kernels/device/product.h"

#include "kernels/cpu/layout.h"
#include "kernels/device/device_tensors.h"

namespace msjit::devices {
namespace {

// One operand: matrices of `rows` x `columns` as they are in memory, `leading` elements from row to
// row.
struct Side {
  Tensor tensor;
  bool transposed;
  int64_t leading = 0, stride = 0;
};

bool has_rows(const Tensor& t) {
  const int r = t.rank();
  return t.strides()[r - 1] == 1 && t.strides()[r - 2] >= std::max<Dim>(t.dim(r - 1), 1);
}

// Whether the leading axes are in order, each matrix behind the one before.
bool is_stack(const Tensor& t, int64_t* stride) {
  *stride = 0;
  int64_t expected = 0;
  for (int d = t.rank() - 3; d >= 0; --d) {
    if (t.dim(d) == 1) continue;
    if (*stride == 0) {
      *stride = expected = t.strides()[d];
      if (expected <= 0) return false;
    } else if (t.strides()[d] != expected) {
      return false;
    }
    expected *= t.dim(d);
  }
  return true;
}

Tensor swapped(const Tensor& t) {
  Shape shape = t.shape(), strides = t.strides();
  const int r = t.rank();
  std::swap(shape[r - 1], shape[r - 2]);
  std::swap(strides[r - 1], strides[r - 2]);
  return Tensor::view(t, shape, strides, 0);
}

Result<Side> side_of(const Tensor& given, bool transposed) {
  Side side{given, transposed};
  for (int tries = 0; tries < 2; ++tries) {
    if (has_rows(side.tensor) && is_stack(side.tensor, &side.stride)) break;
    const Tensor other = swapped(side.tensor);
    if (has_rows(other) && is_stack(other, &side.stride)) {
      side.tensor = other;
      side.transposed = !side.transposed;
      break;
    }
    Meta meta(given.dtype(), false, given.shape(), given.device());
    MSJIT_TRY(side.tensor, Tensor::empty(meta));
    MSJIT_OK(copy_elements(given, side.tensor));
  }
  side.leading = side.tensor.strides()[side.tensor.rank() - 2];
  return side;
}

// A vector is a row on the left and a column on the right.
Tensor as_matrix(const Tensor& t, bool left, bool* transposed) {
  if (t.rank() > 1) return t;
  *transposed = false;
  Shape shape = t.shape(), strides = t.strides();
  shape.insert(left ? 0 : 1, 1);
  strides.insert(left ? 0 : 1, left ? std::max<Dim>(t.dim(0), 1) : 1);
  return Tensor::view(t, shape, strides, 0);
}

Shape leading_axes(const Tensor& t) {
  Shape axes = t.shape();
  axes.set_rank(t.rank() - 2);
  return axes;
}

Result<Tensor> spread(const Tensor& t, const Shape& axes) {
  Shape shape = axes;
  shape.push_back(t.dim(t.rank() - 2));
  shape.push_back(t.dim(t.rank() - 1));
  if (shape == t.shape()) return t;
  MSJIT_TRY(Tensor out, Tensor::empty(Meta(t.dtype(), false, shape, t.device())));
  MSJIT_OK(copy_elements(layout::broadcast(t, shape), out));
  return out;
}

// All rows of a stack as one matrix.
Result<Tensor> joined_rows(const Tensor& t) {
  MSJIT_TRY(const Tensor plain, t.to_contiguous());
  const Dim columns = t.shape().back(), rows = t.numel() / columns;
  return Tensor::view(plain, {rows, columns}, {columns, 1}, 0);
}

Status multiply(const Tensor& left, bool transpose_a, const Tensor& right, bool transpose_b,
                bool accumulates, const Tensor& out) {
  MSJIT_TRY(const Side a, side_of(left, transpose_a));
  MSJIT_TRY(const Side b, side_of(right, transpose_b));
  const int ra = left.rank(), rb = right.rank();
  DeviceProduct p;
  p.dtype = out.dtype();
  p.m = left.dim(ra - (transpose_a ? 1 : 2));
  p.k = left.dim(ra - (transpose_a ? 2 : 1));
  p.n = right.dim(rb - (transpose_b ? 2 : 1));
  p.transpose_a = a.transposed;
  p.transpose_b = b.transposed;
  p.lda = a.leading;
  p.ldb = b.leading;
  p.stride_a = a.stride;
  p.stride_b = b.stride;
  p.batch = leading_axes(left).numel();
  p.accumulates = accumulates;
  p.a = a.tensor.data();
  p.b = b.tensor.data();
  p.c = out.data();
  Context& at = open_context(out.device());
  return at.api.product(p, at.stream);
}

}  // namespace

Status product(const Tensor& a, bool transpose_a, const Tensor& b, bool transpose_b,
               const Tensor* bias, const Tensor& out) {
  if (out.numel() == 0) return {};
  if (a.numel() == 0 || !is_float(out.dtype()) || a.device() != b.device())
    return not_implemented_error("[product] matrices on a device, got {} of shapes {} and {}",
                                 dtype_name(out.dtype()), a.shape().str(), b.shape().str());
  Tensor left = as_matrix(a, true, &transpose_a), right = as_matrix(b, false, &transpose_b);
  if (bias) MSJIT_OK(copy_elements(layout::broadcast(*bias, out.shape()), out));
  if (right.rank() == 2 && left.rank() > 2 && !transpose_a) {
    MSJIT_TRY(left, joined_rows(left));
    return multiply(left, false, right, transpose_b, bias != nullptr, out);
  }
  Shape axes = out.shape();
  axes.set_rank(out.rank() - (a.rank() > 1) - (b.rank() > 1));
  MSJIT_TRY(left, spread(left, axes));
  MSJIT_TRY(right, spread(right, axes));
  return multiply(left, transpose_a, right, transpose_b, bias != nullptr, out);
}

}  // namespace msjit::devices
