#include "kernels/eager/shared_write.h"

#include <algorithm>

#include "kernels/core/registry.h"
#include "kernels/core/words.h"
#include "kernels/device/device_tensors.h"
#include "kernels/eager/eager_sink.h"
#include "kernels/eager/tape.h"

namespace msjit {
namespace {

Val eager(const Tensor& t) { return Val(&eager_sink(), t); }

Result<Tensor> tensor_of(const Val& value) {
  MSJIT_OK(eager_sink().take_error());
  return Tensor(value.tensor());
}

// Bytes from the beginning of the storage.
int64_t offset_of(const Tensor& t) {
  return static_cast<const char*>(t.data()) - static_cast<const char*>(t.storage()->data);
}

// Calls use(number of the element, its place in the storage in elements) for each element.
template <class Use>
void for_each_place(const Tensor& t, Use&& use) {
  int64_t place = offset_of(t) / item_size(t.dtype());
  int64_t at[kMaxRank] = {};
  for (int64_t n = 0, count = t.numel(); n < count; ++n) {
    use(n, place);
    for (int d = t.rank() - 1; d >= 0; --d) {
      place += t.strides()[d];
      if (++at[d] < t.dim(d)) break;
      place -= t.strides()[d] * t.dim(d);
      at[d] = 0;
    }
  }
}

// For each place of the storage the number of the element of `t` that lies there; -1: none.
std::vector<int64_t> elements_by_place(const Tensor& t) {
  const auto item = static_cast<size_t>(item_size(t.dtype()));
  std::vector<int64_t> elements(t.storage()->bytes / item, -1);
  for_each_place(t, [&](int64_t n, int64_t place) { elements[static_cast<size_t>(place)] = n; });
  return elements;
}

// `t` after the write of `value` to the tensor whose elements are given by place; `t` itself when
// the write does not touch it.
Result<Tensor> followed(const Tensor& t, const std::vector<int64_t>& elements,
                        const Tensor& value) {
  if (t.dtype() != value.dtype())
    return runtime_error(
        "[setitem] dtype of a tensor that shares the memory, got {}, expected {}, which is written",
        dtype_name(t.dtype()), dtype_name(value.dtype()));
  MSJIT_TRY(const Tensor source, Tensor::empty(DType::kInt64, t.shape()));
  bool touched = false;
  for_each_place(t, [&](int64_t n, int64_t place) {
    const int64_t element = elements[static_cast<size_t>(place)];
    source.data_as<int64_t>()[n] = element;
    touched |= element >= 0;
  });
  if (!touched) return Tensor(t);
  return overlay(t, source, words::reshape(eager(value), Shape{value.numel()}));
}

Result<Storage> copy_of(const Storage& storage) {
  const auto count = static_cast<int64_t>(storage->bytes);
  const Tensor all = Tensor::from_storage(storage, DType::kUInt8, Shape{count}, Shape{1}, 0);
  MSJIT_TRY(const Tensor copy,
            Tensor::empty(Meta(DType::kUInt8, false, all.shape(), storage->device)));
  MSJIT_OK(copy_elements(all, copy));
  return Storage(copy.storage());
}

Tensor placed_as(const Tensor& t, const Storage& storage) {
  return Tensor::from_storage(storage, t.dtype(), t.shape(), t.strides(), offset_of(t));
}

}  // namespace

Result<Tensor> overlay(const Tensor& x, const Tensor& source, const Val& flat) {
  static const OpDef* const gather = find_op("gather");
  MSJIT_TRY(const Tensor mask, Tensor::empty(DType::kBool, x.shape()));
  int64_t* const from = source.data_as<int64_t>();
  for (int64_t i = 0, count = x.numel(); i < count; ++i) {
    mask.data_as<bool>()[i] = from[i] >= 0;
    from[i] = std::max<int64_t>(from[i], 0);
  }
  MSJIT_TRY(const Tensor chosen, devices::to_device(mask, x.device()));
  MSJIT_TRY(const Tensor rows, devices::to_device(source, x.device()));
  const Val given = call(*gather, {flat, eager(rows)}, Attrs{AttrValue(0)});
  return tensor_of(words::where(eager(chosen), given, eager(x)));
}

Result<Tensor> updated_value(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs) {
  InlineVec<const Meta*, 6> metas;
  Vals inputs;
  for (const Tensor& t : in) {
    metas.push_back(t ? &t.meta() : nullptr);
    inputs.push_back(t ? eager(t) : Val());
  }
  InferCtx infer(op, {metas.data(), metas.size()}, attrs);
  MSJIT_OK(infer_outputs(infer));
  const Vals values = op.update(&eager_sink(), inputs, attrs);
  MSJIT_OK(eager_sink().take_error());
  if (values.size() != 1) return Tensor();
  Val value = words::cast(values[0], in[0].dtype());
  if (!(value.shape() == in[0].shape())) value = words::broadcast_to(value, in[0].shape());
  return tensor_of(value);
}

Result<std::vector<Tensor>> write_shared(std::span<const SharingTensor> tensors, size_t target,
                                         const Tensor& value) {
  const Tensor& written = tensors[target].tensor;
  const std::vector<int64_t> elements = elements_by_place(written);
  std::vector<Tensor> histories;  // null: none
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto& [tensor, detached] = tensors[i];
    if (i == target) {
      histories.push_back(value);
    } else if (detached || is_state(tensor)) {
      histories.emplace_back();
    } else {
      MSJIT_TRY(Tensor next, followed(tensor, elements, value));
      histories.push_back(std::move(next));
    }
  }
  Storage memory = written.storage();
  if (std::ranges::any_of(tensors, is_state, &SharingTensor::tensor)) {
    if (memory->read_only)
      return value_error("[setitem] tensor, got one on read-only memory, expected a writable one");
    ++memory->version;
  } else {
    MSJIT_TRY(memory, copy_of(memory));
  }
  MSJIT_OK(copy_elements(value.detach(), placed_as(written, memory)));
  std::vector<Tensor> out;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i].tensor;
    if (is_state(tensor)) {
      out.emplace_back();
      continue;
    }
    Tensor placed = placed_as(tensor, memory);
    out.push_back(histories[i] ? with_history(std::move(placed), histories[i]) : placed);
  }
  return out;
}

}  // namespace msjit
