#include "kernels/cpu/layout.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/strided.h"

namespace msjit::layout {

Tensor slice_axis(const Tensor& t, int axis, int64_t begin, int64_t count, int64_t step) {
  Shape shape = t.shape(), strides = t.strides();
  int64_t offset = count > 0 ? begin * strides[axis] : 0;
  shape[axis] = count;
  strides[axis] *= step;
  return Tensor::view(t, shape, strides, offset);
}

Tensor broadcast(const Tensor& t, const Shape& shape) {
  Shape strides = shape;
  int lead = shape.rank() - t.rank();
  for (int i = 0; i < shape.rank(); ++i) {
    bool spread = i < lead || t.dim(i - lead) != shape[i];
    strides[i] = spread ? 0 : t.strides()[i - lead];
  }
  return Tensor::view(t, shape, strides, 0);
}

Tensor permute(const Tensor& t, std::span<const int> perm) {
  Shape shape, strides;
  for (int p : perm) {
    shape.push_back(t.dim(p));
    strides.push_back(t.strides()[p]);
  }
  return Tensor::view(t, shape, strides, 0);
}

Tensor swap_axes(const Tensor& t, int a, int b) {
  Shape shape = t.shape(), strides = t.strides();
  std::swap(shape[a], shape[b]);
  std::swap(strides[a], strides[b]);
  return Tensor::view(t, shape, strides, 0);
}

// Walks both shapes from the left in groups of equal element count. A group of old axes can be
// split into new ones if the group is contiguous.
Tensor try_reshape(const Tensor& t, const Shape& shape) {
  if (t.contiguous() || t.numel() == 0) return Tensor::view(t, shape, contiguous_strides(shape), 0);
  Shape dims, steps;  // old axes without those of size one
  for (int i = 0; i < t.rank(); ++i) {
    if (t.dim(i) == 1) continue;
    dims.push_back(t.dim(i));
    steps.push_back(t.strides()[i]);
  }
  Shape strides = shape;
  int from = 0, to = 0;
  while (from < dims.rank() && to < shape.rank()) {
    int from_end = from + 1, to_end = to + 1;
    int64_t have = dims[from], want = shape[to];
    while (have != want) {
      if (have < want) {
        have *= dims[from_end++];
      } else {
        want *= shape[to_end++];
      }
    }
    for (int i = from; i + 1 < from_end; ++i)
      if (steps[i] != dims[i + 1] * steps[i + 1]) return {};
    int64_t stride = steps[from_end - 1];
    for (int i = to_end - 1; i >= to; --i) {
      strides[i] = stride;
      stride *= shape[i];
    }
    from = from_end;
    to = to_end;
  }
  for (; to < shape.rank(); ++to) strides[to] = 1;  // only sizes of one are left
  return Tensor::view(t, shape, strides, 0);
}

Result<Tensor> reshape(const Tensor& t, const Shape& shape) {
  if (Tensor view = try_reshape(t, shape)) return view;
  MSJIT_TRY(Tensor copy, t.to_contiguous());
  return Tensor::view(copy, shape, contiguous_strides(shape), 0);
}

static std::pair<const char*, const char*> byte_range(const Tensor& t) {
  int64_t low = 0, high = 0;
  for (int i = 0; i < t.rank(); ++i) {
    int64_t reach = (t.dim(i) - 1) * t.strides()[i];
    (reach < 0 ? low : high) += reach;
  }
  const char* base = t.data_as<char>();
  int64_t size = item_size(t.dtype());
  return {base + low * size, base + (high + 1) * size};
}

bool may_overlap(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 || b.numel() == 0) return false;
  auto [a_begin, a_end] = byte_range(a);
  auto [b_begin, b_end] = byte_range(b);
  return a_begin < b_end && b_begin < a_end;
}

bool overlaps_itself(const Tensor& t) {
  if (t.contiguous()) return false;
  InlineVec<std::pair<int64_t, int64_t>, kMaxRank> axes;  // stride, size
  for (int d = 0; d < t.rank(); ++d)
    if (t.dim(d) > 1) axes.push_back({std::abs(t.strides()[d]), t.dim(d)});
  std::sort(axes.begin(), axes.end());
  int64_t extent = 1;
  for (const auto& [stride, size] : axes) {
    if (stride < extent) return true;
    extent += stride * (size - 1);
  }
  return false;
}

Result<Tensor> detached_from(const Tensor& t, const Tensor& target) {
  if (!may_overlap(t, target)) return t;
  MSJIT_TRY(Tensor copy, Tensor::empty(t.dtype(), t.shape()));
  copy_strided(t, copy);
  return copy;
}

Result<Tensor> cast_to(const Tensor& t, DType dtype) {
  if (t.dtype() == dtype) return t;
  MSJIT_TRY(Tensor out, Tensor::empty(dtype, t.shape()));
  convert_copy(t, out);
  return out;
}

Result<Tensor> contiguous_as(const Tensor& t, DType dtype) {
  MSJIT_TRY(Tensor converted, cast_to(t, dtype));
  return converted.to_contiguous();
}

void fill_zero(const Tensor& contiguous) {
  if (int64_t bytes = contiguous.nbytes()) std::memset(contiguous.data(), 0, bytes);
}

Result<Tensor> plain_target(const Tensor& out, DType dtype) {
  if (out.dtype() == dtype && out.contiguous()) return out;
  return Tensor::empty(dtype, out.shape());
}

Status deliver(const Tensor& computed, const Tensor& out) {
  if (computed.same(out)) return {};
  MSJIT_TRY(Tensor converted, cast_to(computed, out.dtype()));
  copy_strided(converted, out);
  return {};
}

Shape channels_last_strides(const Shape& shape) {
  const Dim row = shape[1], line = shape[3] * row;
  return {shape[2] * line, 1, line, row};
}

bool is_channels_last(const Tensor& t) {
  if (t.rank() != 4 || t.contiguous() || t.numel() == 0) return false;
  const Shape strides = channels_last_strides(t.shape());
  for (int i = 0; i < 4; ++i)
    if (t.dim(i) != 1 && t.strides()[i] != strides[i]) return false;
  return true;
}

Result<Tensor> to_channels_last(const Tensor& t) {
  if (is_channels_last(t)) return t;
  MSJIT_TRY(Storage memory, Storage::allocate(static_cast<size_t>(t.nbytes())));
  Tensor copy = Tensor::from_storage(std::move(memory), t.dtype(), t.shape(),
                                     channels_last_strides(t.shape()), 0);
  copy_strided(t, copy);
  return copy;
}

Status check_writable(const OpDef& op, const Tensor& t, const char* param) {
  if (t.storage()->read_only)
    return value_error("[{}] {} shares memory that is read-only", op.name, param);
  return {};
}

AxisSplit split_at(const Shape& shape, int axis) {
  AxisSplit split;
  for (int i = 0; i < axis; ++i) split.outer *= shape[i];
  split.length = shape.rank() ? shape[axis] : 1;
  for (int i = axis + 1; i < shape.rank(); ++i) split.inner *= shape[i];
  return split;
}

Result<Tensor> as_int64(const Tensor& t) { return contiguous_as(t, DType::kInt64); }

}  // namespace msjit::layout
