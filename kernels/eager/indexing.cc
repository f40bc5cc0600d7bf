#include "kernels/eager/indexing.h"

#include <algorithm>

#include "kernels/core/registry.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/slicing.h"
#include "kernels/device/device_tensors.h"
#include "kernels/eager/eager_sink.h"
#include "kernels/eager/shared_write.h"
#include "kernels/eager/tape.h"

namespace msjit {
namespace {

Val eager(const Tensor& t) { return Val(&eager_sink(), t); }

Result<Tensor> tensor_of(const Val& value) {
  MSJIT_OK(eager_sink().take_error());
  return Tensor(value.tensor());
}

bool recorded(const Tensor& t) { return t.autograd() && grad_recording() && is_tracked(t); }

// table[rows] along the first dimension.
Val gather_rows(const Val& table, const Tensor& rows) {
  static const OpDef* gather = find_op("gather");
  return call(*gather, {table, eager(rows)}, Attrs{AttrValue(0)});
}

Tensor basic_view(const Tensor& x, const IndexPlan& plan) {
  Shape shape, strides;
  int64_t offset = 0;
  uint32_t dropped = 0, added = 0;
  auto add_new_axes = [&] {
    for (; added < plan.new_axes.size() && plan.new_axes[added] == shape.rank(); ++added) {
      shape.push_back(1);
      strides.push_back(0);
    }
  };
  for (int d = 0; d < x.rank(); ++d) {
    offset += plan.begin[d] * x.strides()[d];
    if (dropped < plan.squeeze.size() && plan.squeeze[dropped] == d) {
      ++dropped;
      continue;
    }
    add_new_axes();
    const Dim count = plan.shape[shape.rank()];
    strides.push_back(count > 1 ? x.strides()[d] * plan.step[d] : x.strides()[d]);
    shape.push_back(count);
  }
  add_new_axes();
  if (plan.shape.numel() == 0) offset = 0;  // an empty view must not point past the end
  return Tensor::view(x, shape, strides, offset);
}

// The shape to which the index tensors broadcast.
Result<Shape> index_shape(std::span<const Tensor> indices) {
  Shape out;
  for (const Tensor& t : indices) {
    const int rank = std::max(out.rank(), t.rank());
    Shape next;
    for (int i = 0; i < rank; ++i) {
      const int a = i - rank + out.rank(), b = i - rank + t.rank();
      const Dim x = a < 0 ? 1 : out[a], y = b < 0 ? 1 : t.dim(b);
      if (x != y && x != 1 && y != 1)
        return index_error(
            "[getitem] shapes of the index tensors, got {} and {}, expected shapes that broadcast",
            out.str(), t.shape().str());
      next.push_back(x == 1 ? y : x);
    }
    out = next;
  }
  return out;
}

// Adds index * scale to each element of `sum`, with broadcasting. Wraps negative indices and checks
// the range.
Status accumulate(const Tensor& index, int64_t size, int64_t scale, const Shape& shape,
                  int64_t* sum) {
  int64_t strides[kMaxRank] = {}, at[kMaxRank] = {};
  const int lead = shape.rank() - index.rank();
  for (int d = 0; d < index.rank(); ++d)
    strides[lead + d] = index.dim(d) == 1 ? 0 : index.strides()[d];
  const int64_t count = shape.numel();
  return dispatch_dtype(index.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const T* from = index.data_as<T>();
    for (int64_t n = 0; n < count; ++n) {
      const auto value = static_cast<int64_t>(+*from);
      const int64_t wrapped = value < 0 ? value + size : value;
      if (wrapped < 0 || wrapped >= size)
        return index_error("[getitem] value of an index tensor, got {}, expected one in [{}, {})",
                           value, -size, size);
      sum[n] += wrapped * scale;
      for (int d = shape.rank() - 1; d >= 0; --d) {
        from += strides[d];
        if (++at[d] < shape[d]) break;
        from -= strides[d] * shape[d];
        at[d] = 0;
      }
    }
    return {};
  });
}

// The plan for a tensor whose indexed dimensions are moved to the front.
struct Advanced {
  IntList order;    // permutation: indexed dimensions, then those that stay
  Shape index;      // broadcast shape of the index tensors
  Shape rest;       // dimensions that stay
  Shape result;     // shape of x[...]
  IntList restore;  // permutation of (index + rest) dimensions to `result`
  Dim rows = 1;     // product of the indexed dimensions
};

Result<Advanced> plan_advanced(const IndexPlan& plan, std::span<const Tensor> indices) {
  Advanced out;
  MSJIT_TRY(out.index, index_shape(indices));
  for (int d = 0; d < plan.shape.rank(); ++d)
    if (plan.tensor_of_dim[d] >= 0) {
      out.order.push_back(d);
      out.rows *= plan.shape[d];
    }
  for (int d = 0; d < plan.shape.rank(); ++d)
    if (plan.tensor_of_dim[d] < 0) {
      out.order.push_back(d);
      out.rest.push_back(plan.shape[d]);
    }
  const int extra = out.index.rank(), stay = out.rest.rank();
  if (extra + stay > kMaxRank)
    return value_error("[getitem] dimensions of the result, got {}, expected at most {}",
                       extra + stay, kMaxRank);
  for (int d = 0; d < plan.result_axis; ++d)
    out.restore.push_back(extra + d), out.result.push_back(out.rest[d]);
  for (int d = 0; d < extra; ++d) out.restore.push_back(d), out.result.push_back(out.index[d]);
  for (int d = plan.result_axis; d < stay; ++d)
    out.restore.push_back(extra + d), out.result.push_back(out.rest[d]);
  return out;
}

// The row number for each element of the index shape; with `strides`, the element offset.
Result<Tensor> linear_index(const IndexPlan& plan, const Advanced& adv,
                            std::span<const Tensor> indices, const Shape* strides) {
  InlineVec<Tensor, 4> here;
  for (const Tensor& index : indices) {
    MSJIT_TRY(Tensor known, devices::to_host(index));
    here.push_back(std::move(known));
  }
  MSJIT_TRY(Tensor sum, Tensor::empty(DType::kInt64, adv.index));
  std::fill_n(sum.data_as<int64_t>(), sum.numel(), 0);
  int64_t scale = adv.rows;
  for (int d = 0; d < plan.shape.rank(); ++d) {
    const int which = plan.tensor_of_dim[d];
    if (which < 0) continue;
    if (plan.shape[d]) scale /= plan.shape[d];
    MSJIT_OK(accumulate(here[static_cast<uint32_t>(which)], plan.shape[d],
                        strides ? (*strides)[d] : scale, adv.index, sum.data_as<int64_t>()));
  }
  return sum;
}

// By the operator of the tensors' device, which reads and checks the indices there.
Result<Tensor> get_on_device(const Tensor& x, const IndexPlan& plan,
                             std::span<const Tensor> indices, const Advanced& adv) {
  Vals tensors = {words::transpose(apply_basic_index(eager(x), plan), adv.order)};
  IntList axes;
  for (int d = 0; d < plan.shape.rank(); ++d) {
    const int which = plan.tensor_of_dim[d];
    if (which < 0) continue;
    axes.push_back(static_cast<int64_t>(axes.size()));
    tensors.push_back(eager(indices[static_cast<size_t>(which)]));
  }
  static const OpDef* index = find_op("index");
  const Val found = call_in(&eager_sink(), *index, tensors, {AttrValue(axes)});
  return tensor_of(words::transpose(found, adv.restore));
}

Result<Tensor> get_advanced(const Tensor& x, const IndexPlan& plan,
                            std::span<const Tensor> indices) {
  MSJIT_TRY(Advanced adv, plan_advanced(plan, indices));
  if (!x.device().is_host() && std::ranges::all_of(indices, [&](const Tensor& index) {
        return index.device() == x.device();
      }))
    return get_on_device(x, plan, indices, adv);
  MSJIT_TRY(const Tensor numbers, linear_index(plan, adv, indices, nullptr));
  MSJIT_TRY(const Tensor rows, devices::to_device(numbers, x.device()));
  Val flat = apply_basic_index(eager(x), plan);
  flat = words::transpose(flat, adv.order);
  Shape table = adv.rest;
  if (table.rank() < kMaxRank) table.insert(0, adv.rows);
  flat = words::reshape(flat, table);
  return tensor_of(words::transpose(gather_rows(flat, rows), adv.restore));
}

bool broadcasts_to(const Shape& shape, const Shape& target) {
  const int left_out = target.rank() - shape.rank();
  if (left_out < 0) return false;
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] != 1 && shape[i] != target[left_out + i]) return false;
  return true;
}

// `value` without those leading dimensions of size one for which `shape` has no place, as in NumPy.
Result<Val> trimmed(const Tensor& value, const Shape& shape) {
  Shape own = value.shape();
  while (own.rank() > shape.rank() && own[0] == 1) own.erase(0);
  if (!broadcasts_to(own, shape))
    return value_error("[setitem] shape of the value, got {}, expected one that broadcasts to {}",
                       value.shape().str(), shape.str());
  return own.rank() == value.rank() ? eager(value) : words::reshape(eager(value), own);
}

// `value` in the dtype of `x` and broadcast to `shape`; does not share memory with `x`.
Result<Tensor> fit_value(const Tensor& x, const Tensor& value, const Shape& shape) {
  MSJIT_TRY(const Val fitted, trimmed(value, shape));
  const Val v = words::cast(fitted, x.dtype());
  MSJIT_TRY(Tensor out, tensor_of(words::broadcast_to(v, shape)));
  if (out.storage().get() != x.storage().get()) return out;
  MSJIT_TRY(Tensor copy, Tensor::empty(Meta(x.dtype(), false, shape, x.device())));
  MSJIT_OK(copy_elements(out, copy));
  return copy;
}

Status write_advanced(const Tensor& view, const IndexPlan& plan, std::span<const Tensor> indices,
                      const Advanced& adv, const Tensor& value) {
  MSJIT_TRY(Tensor offsets, linear_index(plan, adv, indices, &view.strides()));
  // Bring the value to (index + rest) order: undo `restore`.
  IntList undo;
  undo.resize(adv.restore.size());
  for (uint32_t i = 0; i < adv.restore.size(); ++i) undo[adv.restore[i]] = i;
  Shape rest_strides, from_shape, from_strides;
  for (uint32_t d = static_cast<uint32_t>(adv.order.size()) - adv.rest.rank(); d < adv.order.size();
       ++d)
    rest_strides.push_back(view.strides()[static_cast<int>(adv.order[d])]);
  for (int64_t d : undo) {
    from_shape.push_back(value.dim(static_cast<int>(d)));
    from_strides.push_back(value.strides()[static_cast<int>(d)]);
  }
  MSJIT_TRY(Tensor rows, Tensor::view(value, from_shape, from_strides, 0).to_contiguous());
  const int64_t block = adv.rest.numel(), count = offsets.numel();
  const auto size = static_cast<size_t>(item_size(view.dtype()));
  const int64_t* at = offsets.data_as<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    if (block == 1) {
      std::memcpy(view.data_as<char>() + at[i] * static_cast<int64_t>(size),
                  rows.data_as<char>() + i * static_cast<int64_t>(size), size);
    } else if (block > 0) {
      copy_strided(Tensor::view(rows, adv.rest, contiguous_strides(adv.rest), i * block),
                   Tensor::view(view, adv.rest, rest_strides, at[i]));
    }
  }
  return {};
}

// An int64 tensor of -1 with the shape of `x`. Where elements of `x` are one place in memory, its
// elements are too.
Result<Tensor> no_positions(const Tensor& x) {
  if (!layout::overlaps_itself(x)) {
    MSJIT_TRY(Tensor made, Tensor::empty(DType::kInt64, x.shape()));
    std::fill_n(made.data_as<int64_t>(), made.numel(), -1);
    return made;
  }
  int64_t before = 0, after = 0;  // places before and after the first element
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t reach = x.strides()[d] * std::max<int64_t>(x.dim(d) - 1, 0);
    (reach < 0 ? before : after) += std::abs(reach);
  }
  MSJIT_TRY(Tensor places, Tensor::empty(DType::kInt64, Shape{before + after + 1}));
  std::fill_n(places.data_as<int64_t>(), places.numel(), -1);
  return Tensor::view(places, x.shape(), x.strides(), before);
}

// The write as recorded ops. A tensor of positions is written first; it tells where each element of
// the result comes from.
Result<Tensor> replace_items(const Tensor& x, const IndexPlan& plan,
                             std::span<const Tensor> indices, const Shape& target,
                             const Tensor& value) {
  MSJIT_TRY(const Tensor positions, no_positions(x));
  MSJIT_TRY(Tensor numbers, Tensor::empty(DType::kInt64, target));
  for (int64_t i = 0; i < numbers.numel(); ++i) numbers.data_as<int64_t>()[i] = i;
  Tensor view = basic_view(positions, plan);
  if (plan.advanced) {
    MSJIT_TRY(Advanced adv, plan_advanced(plan, indices));
    MSJIT_OK(write_advanced(view, plan, indices, adv, numbers));
  } else {
    copy_strided(numbers, view);
  }
  if (numbers.numel() == 0) return Tensor(x);
  MSJIT_TRY(const Val fitted, trimmed(value, target));
  Val spread = words::cast(words::broadcast_to(fitted, target), x.dtype());
  MSJIT_TRY(const Tensor source, positions.to_contiguous());
  return overlay(x, source, words::reshape(spread, Shape{numbers.numel()}));
}

// Writes into a copy on the host and copies it back.
Result<Tensor> set_item_here(const Tensor& x, std::span<const IndexItem> items,
                             std::span<const Tensor> indices, const Tensor& value) {
  MSJIT_TRY(const Tensor here, devices::to_host(x));
  MSJIT_TRY(const Tensor given, devices::to_host(value));
  MSJIT_TRY(const Tensor replaced, set_item(here.detach(), items, indices, given.detach()));
  MSJIT_OK(copy_elements(here, x));
  x.bump_version();
  return replaced;
}

}  // namespace

Result<Tensor> get_item(const Tensor& x, std::span<const IndexItem> items,
                        std::span<const Tensor> indices) {
  MSJIT_TRY(IndexPlan plan, plan_index(x.shape(), items));
  if (plan.advanced) return get_advanced(x, plan, indices);
  if (!recorded(x)) return slicing::forwards(basic_view(x, plan), plan.reversed);
  static const OpDef* identity = find_op("identity");
  Val item = apply_basic_index(eager(x), plan);
  if (item.tensor().same(x)) item = call(*identity, {item});  // x[:] is a view, like x[1:]
  return tensor_of(item);
}

Result<Tensor> set_item(const Tensor& x, std::span<const IndexItem> items,
                        std::span<const Tensor> indices, const Tensor& value, bool shares_tracked) {
  MSJIT_TRY(IndexPlan plan, plan_index(x.shape(), items));
  Advanced adv;
  if (plan.advanced) {
    MSJIT_TRY(adv, plan_advanced(plan, indices));
  }
  const Shape& target = plan.advanced ? adv.result : plan.shape;
  // A Parameter keeps its identity: it is written in place and has no history.
  if (shares_tracked || ((recorded(x) || recorded(value)) && !is_state(x)))
    return replace_items(x, plan, indices, target, value);
  if (x.storage()->read_only)
    return value_error("[setitem] tensor, got one on read-only memory, expected a writable one");
  if (plan.advanced && !x.device().is_host()) return set_item_here(x, items, indices, value);
  MSJIT_TRY(Tensor fitted, fit_value(x, value, target));
  Tensor view = basic_view(x, plan);
  if (plan.advanced) {
    MSJIT_OK(write_advanced(view, plan, indices, adv, fitted));
  } else {
    MSJIT_OK(copy_elements(fitted, view));
  }
  x.bump_version();
  return Tensor();
}

Result<std::vector<Tensor>> mask_positions(const Tensor& mask) {
  MSJIT_TRY(Tensor flat, devices::to_host(mask));
  MSJIT_TRY(flat, flat.to_contiguous());
  const bool* set = flat.data_as<bool>();
  const int64_t count = flat.numel(), found = std::count(set, set + count, true);
  std::vector<Tensor> out;
  for (int d = 0; d < mask.rank(); ++d) {
    MSJIT_TRY(Tensor positions, Tensor::empty(DType::kInt64, Shape{found}));
    out.push_back(positions);
  }
  const Shape strides = contiguous_strides(mask.shape());
  for (int64_t i = 0, n = 0; i < count; ++i) {
    if (!set[i]) continue;
    for (int d = 0; d < mask.rank(); ++d)
      out[d].data_as<int64_t>()[n] = i / strides[d] % mask.dim(d);
    ++n;
  }
  return out;
}

}  // namespace msjit
