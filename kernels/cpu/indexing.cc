#include "kernels/cpu/indexing.h"

#include <cstring>
#include <vector>

#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/parallel.h"

namespace msjit {
extern const OpDef op_index_update;
}

namespace msjit::indexing {
namespace {

bool adjacent(const IntList& axes) {
  return axes.empty() || axes.back() - axes[0] + 1 == static_cast<int64_t>(axes.size());
}

Status out_of_bounds(const char* name, int64_t index, int axis, int64_t size) {
  return index_error("[{}] index {} is out of bounds for axis {} with size {}", name, index, axis,
                     size);
}

}  // namespace

Plan make_plan(const Shape& x, const IntList& axes) {
  Plan plan;
  plan.permuted = !adjacent(axes);
  uint32_t indexed = 0;
  for (int64_t axis : axes) indexed |= 1u << axis;
  int at = 0;
  for (int64_t axis : axes) {
    plan.perm[at++] = static_cast<int>(axis);
    plan.rows *= x[axis];
  }
  for (int i = 0; i < x.rank(); ++i) {
    if (indexed >> i & 1) continue;
    plan.perm[at++] = i;
    bool before = !plan.permuted && !axes.empty() && i < axes[0];
    (before ? plan.pre : plan.post) *= x[i];
  }
  return plan;
}

Shape index_shape(std::span<const Tensor> indices) {
  Shape shape;
  for (const Tensor& t : indices) {
    const int lead = t.rank() - shape.rank();
    for (int i = 0; i < lead; ++i) shape.insert(0, 1);
    for (int i = 0; i < t.rank(); ++i) {
      Dim& size = shape[shape.rank() - t.rank() + i];
      if (size == 1) size = t.dim(i);
    }
  }
  return shape;
}

Shape value_shape(const Tensor& walked, const Plan& plan, const Shape& index_shape,
                  const IntList& axes) {
  Shape result;
  const int lead = plan.permuted ? 0 : static_cast<int>(axes[0]);
  for (int i = 0; i < lead; ++i) result.push_back(walked.dim(i));
  for (Dim d : index_shape) result.push_back(d);
  for (int i = lead + static_cast<int>(axes.size()); i < walked.rank(); ++i)
    result.push_back(walked.dim(i));
  return result;
}

namespace {

// The row number of each index tuple among the indexed axes.
Result<std::vector<int64_t>> row_numbers(const char* name, const Shape& x,
                                         std::span<const Tensor> indices, const IntList& axes) {
  const Shape shape = index_shape(indices);
  std::vector<int64_t> rows(shape.numel(), 0);
  for (size_t k = 0; k < indices.size(); ++k) {
    MSJIT_TRY(Tensor wide, layout::as_int64(indices[k]));
    MSJIT_TRY(Tensor spread, layout::broadcast(wide, shape).to_contiguous());
    const int64_t* index = spread.data_as<int64_t>();
    int axis = static_cast<int>(axes[k]);
    int64_t size = x[axis];
    for (size_t i = 0; i < rows.size(); ++i) {
      if (index[i] < -size || index[i] >= size)
        return out_of_bounds(name, index[i], axis, size).take_error();
      rows[i] = rows[i] * size + (index[i] < 0 ? index[i] + size : index[i]);
    }
  }
  return rows;
}

template <class T>
void add_block(T* to, const T* from, int64_t count) {
  if constexpr (std::is_same_v<T, bool>) {
    for (int64_t i = 0; i < count; ++i) to[i] |= from[i];
  } else if constexpr (std::is_integral_v<T>) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = static_cast<T>(static_cast<uint64_t>(to[i]) + static_cast<uint64_t>(from[i]));
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = T(to[i] + from[i]);
  }
}

template <class T>
T combine(Combine how, T old, T next) {
  using C = typename ComputeType<T>::type;
  const C a = old, b = next;
  if constexpr (std::is_same_v<T, bool>) {
    return how == Combine::kMul || how == Combine::kMin ? a && b : a || b;
  } else {
    switch (how) {
      case Combine::kMul:
        if constexpr (std::is_integral_v<T>)
          return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
        return static_cast<T>(a * b);
      case Combine::kDiv:
        if constexpr (std::is_integral_v<T>)
          return b == 0 ? T(0) : b == T(-1) ? T(0 - uint64_t(a)) : T(a / b);
        return static_cast<T>(a / b);
      case Combine::kMax: return a != a || a > b ? old : next;
      default: return a != a || a < b ? old : next;
    }
  }
}

// Rows of one element are common and worth a loop without memcpy.
template <class Word>
void take_words(const Word* from, Word* to, const std::vector<int64_t>& rows, const Plan& plan) {
  for (int64_t p = 0; p < plan.pre; ++p, from += plan.rows)
    for (int64_t row : rows) *to++ = from[row];
}

void take_rows(const Tensor& x, const Tensor& out, const std::vector<int64_t>& rows,
               const Plan& plan) {
  int64_t size = item_size(x.dtype()), block = plan.post * size;
  if (plan.post == 1 && size == 4)
    return take_words(x.data_as<uint32_t>(), out.data_as<uint32_t>(), rows, plan);
  if (plan.post == 1 && size == 8)
    return take_words(x.data_as<uint64_t>(), out.data_as<uint64_t>(), rows, plan);
  int64_t count = static_cast<int64_t>(rows.size());
  const char* from = x.data_as<char>();
  char* to = out.data_as<char>();
  parallel_for(plan.pre * count, layout::grain_for(block / 8), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t row = i / count * plan.rows + rows[i % count];
      std::memcpy(to + i * block, from + row * block, block);
    }
  });
}

void put_rows(const Tensor& target, const Tensor& value, const std::vector<int64_t>& rows,
              const Plan& plan, Combine how) {
  dispatch_any_dtype(target.dtype(), [&]<class T>(TypeTag<T>) {
    T* to = target.data_as<T>();
    const T* from = value.data_as<T>();
    for (int64_t p = 0; p < plan.pre; ++p, to += plan.rows * plan.post)
      for (int64_t row : rows) {
        T* block = to + row * plan.post;
        if (how == Combine::kAdd) {
          add_block(block, from, plan.post);
        } else if (how == Combine::kWrite) {
          std::memcpy(block, from, plan.post * sizeof(T));
        } else {
          if constexpr (!kIsComplex<T>)  // index_reduce takes none
            for (int64_t i = 0; i < plan.post; ++i) block[i] = combine(how, block[i], from[i]);
        }
        from += plan.post;
      }
  });
}

// The dims of the indices replace the named axes: where these stand if they are adjacent, otherwise
// in front.
Shape indexed_shape(const Shape& x, const IntList& axes, const Shape& index_shape) {
  const bool in_place = adjacent(axes);
  Shape result;
  if (!in_place)
    for (Dim d : index_shape) result.push_back(d);
  size_t next = 0;
  for (int i = 0; i < x.rank(); ++i) {
    if (next == axes.size() || axes[next] != i) {
      result.push_back(x[i]);
      continue;
    }
    if (in_place && next == 0)
      for (Dim d : index_shape) result.push_back(d);
    ++next;
  }
  return result;
}

}  // namespace

Result<Shape> infer_shape(const InferCtx& ctx, const Shape& x, int first, const IntList& axes) {
  if (ctx.num_inputs() - first != static_cast<int>(axes.size()) || axes.empty())
    return value_error("[{}] one index a named axis is needed, got {} and {} axes", ctx.name(),
                       ctx.num_inputs() - first, axes.size());
  Shape index_shape;
  int64_t last = -1;
  for (int i = first; i < ctx.num_inputs(); ++i) {
    const Meta& index = ctx.in(i);
    if (is_bool(index.dtype))
      return not_implemented_error(
          "[{}] a boolean mask selects a number of elements that depends on data, got bool, "
          "expected an integer index",
          ctx.name());
    MSJIT_OK(require_integer(ctx, index, "index"));
    MSJIT_TRY(index_shape, ctx.broadcast(index_shape, index.shape));
    int64_t axis = axes[i - first];
    if (axis <= last || axis >= x.rank())
      return value_error("[{}] axes must ascend below the rank, got {} for rank {}", ctx.name(),
                         AttrValue(axes).str(), x.rank());
    last = axis;
  }
  const int rank = x.rank() - static_cast<int>(axes.size()) + index_shape.rank();
  if (rank > kMaxRank)
    return value_error("[{}] too many dimensions, got {}, expected at most {}", ctx.name(), rank,
                       kMaxRank);
  const Shape result = indexed_shape(x, axes, index_shape);
  if (checked_numel(result) < 0)
    return memory_error("[{}] too many elements, got shape {}", ctx.name(), result.str());
  return result;
}

Status check_value(const InferCtx& ctx, const Meta& x, const Meta& value, const Shape& result) {
  const DType from = value.dtype, to = x.dtype;
  if ((is_complex(from) && !is_complex(to)) || (is_inexact(from) && !is_inexact(to)) ||
      (is_bool(to) && !is_bool(from)))
    return type_error("[{}] dtype of the value, got {}, expected one that {} can hold", ctx.name(),
                      dtype_name(from), dtype_name(to));
  MSJIT_TRY(Shape both, ctx.broadcast(value.shape, result));
  if (both == result) return {};
  return value_error("[{}] cannot broadcast value, got shape {}, expected {}", ctx.name(),
                     value.shape.str(), result.str());
}

Status take(const char* name, const Tensor& x, std::span<const Tensor> indices, const IntList& axes,
            const Tensor& out) {
  MSJIT_TRY(std::vector<int64_t> rows, row_numbers(name, x.shape(), indices, axes));
  if (out.numel() == 0) return {};
  Plan plan = make_plan(x.shape(), axes);
  Tensor source = x;
  if (plan.permuted) source = layout::permute(x, {plan.perm, static_cast<size_t>(x.rank())});
  MSJIT_TRY(source, source.to_contiguous());
  take_rows(source, out, rows, plan);
  return {};
}

void take_vjp(Vjp& v) {
  if (!v.needs(0)) return;
  Vals args{words::zeros_like(v.in(0)), v.grad()};
  args.insert(args.end(), v.inputs.begin() + 1, v.inputs.end());
  v.set_grad(0, call_in(v.sink, op_index_update, args, {v.attrs[0], AttrValue(true)}));
}

Status put(const char* name, const Tensor& target, const Tensor& value,
           std::span<const Tensor> indices, const IntList& axes, bool accumulate) {
  return put_combined(name, target, value, indices, axes,
                      accumulate ? Combine::kAdd : Combine::kWrite);
}

Status put_combined(const char* name, const Tensor& target, const Tensor& value,
                    std::span<const Tensor> indices, const IntList& axes, Combine how) {
  MSJIT_TRY(std::vector<int64_t> rows, row_numbers(name, target.shape(), indices, axes));
  Plan plan = make_plan(target.shape(), axes);
  if (rows.empty() || plan.pre * plan.post == 0) return {};
  Tensor walked = target;
  if (plan.permuted)
    walked = layout::permute(target, {plan.perm, static_cast<size_t>(target.rank())});
  const Shape result = value_shape(walked, plan, index_shape(indices), axes);
  MSJIT_TRY(Tensor converted, layout::cast_to(value, target.dtype()));
  MSJIT_TRY(Tensor own, layout::detached_from(converted, target));
  MSJIT_TRY(Tensor source, layout::broadcast(own, result).to_contiguous());
  MSJIT_TRY(Tensor work, walked.to_contiguous());
  put_rows(work, source, rows, plan, how);
  if (!work.same(walked)) copy_strided(work, walked);
  return {};
}

// -- Along one axis

Status check_along_axis(const InferCtx& ctx, const Meta& x, const Meta& indices, int axis) {
  MSJIT_OK(require_integer(ctx, indices, "indices"));
  MSJIT_OK(require_rank(ctx, indices, x.shape.rank(), "indices"));
  for (int i = 0; i < x.shape.rank(); ++i)
    if (i != axis && indices.shape[i] > x.shape[i])
      return value_error("[{}] indices exceed x along axis {}, got {}, expected at most {}",
                         ctx.name(), i, indices.shape[i], x.shape[i]);
  return {};
}

// Calls f(position in indices, element offset in t) for each index. Stops at the first one out of
// bounds.
template <class F>
static Status walk_along_axis(const char* name, const Tensor& t, const Tensor& indices, int axis,
                              F&& f) {
  int rank = t.rank();
  int64_t position[kMaxRank] = {}, base = 0, count = indices.numel();
  const int64_t* index = indices.data_as<int64_t>();
  int64_t size = rank ? t.dim(axis) : 1, stride = rank ? t.strides()[axis] : 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t k = index[i];
    if (k < -size || k >= size) return out_of_bounds(name, k, axis, size);
    f(i, base + (k < 0 ? k + size : k) * stride);
    for (int d = rank - 1; d >= 0; --d) {
      int64_t step = d == axis ? 0 : t.strides()[d];
      base += step;
      if (++position[d] < indices.dim(d)) break;
      base -= step * position[d];
      position[d] = 0;
    }
  }
  return {};
}

Status take_along_axis(const char* name, const Tensor& x, const Tensor& indices, int axis,
                       const Tensor& out) {
  MSJIT_TRY(Tensor wide, layout::as_int64(indices));
  return dispatch_size(x.dtype(), [&]<class T>(TypeTag<T>) {
    const T* from = x.data_as<T>();
    T* to = out.data_as<T>();
    return walk_along_axis(name, x, wide, axis, [&](int64_t i, int64_t at) { to[i] = from[at]; });
  });
}

Status put_along_axis(const char* name, const Tensor& target, const Tensor& indices,
                      const Tensor& updates, int axis, bool accumulate) {
  MSJIT_TRY(Tensor wide, layout::as_int64(indices));
  MSJIT_OK(walk_along_axis(name, target, wide, axis, [](int64_t, int64_t) {}));
  MSJIT_TRY(Tensor own, layout::detached_from(updates, target));
  MSJIT_TRY(Tensor spread, layout::broadcast(own, indices.shape()).to_contiguous());
  MSJIT_TRY(Tensor source, layout::contiguous_as(spread, target.dtype()));
  return dispatch_any_dtype(target.dtype(), [&]<class T>(TypeTag<T>) {
    const T* from = source.data_as<T>();
    T* to = target.data_as<T>();
    return walk_along_axis(name, target, wide, axis, [&](int64_t i, int64_t at) {
      if (accumulate) {
        add_block(to + at, from + i, 1);
      } else {
        to[at] = from[i];
      }
    });
  });
}

Result<Tensor> nonzero(const Tensor& mask) {
  MSJIT_TRY(Tensor flags, layout::contiguous_as(mask, DType::kBool));
  const bool* flag = flags.data_as<bool>();
  int64_t total = mask.numel(), count = 0;
  for (int64_t i = 0; i < total; ++i) count += flag[i];
  MSJIT_TRY(Tensor out, Tensor::empty(DType::kInt64, Shape{count, mask.rank()}));
  int64_t* row = out.data_as<int64_t>();
  for (int64_t i = 0; i < total; ++i) {
    if (!flag[i]) continue;
    int64_t rest = i;
    for (int d = mask.rank() - 1; d >= 0; --d) {
      row[d] = rest % mask.dim(d);
      rest /= mask.dim(d);
    }
    row += mask.rank();
  }
  return out;
}

}  // namespace msjit::indexing
