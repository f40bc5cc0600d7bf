#include "kernels/core/tensor.h"

#include "kernels/core/scalar_num.h"
#include "kernels/device/device_tensors.h"

namespace msjit {

TensorImpl* new_tensor_impl() { return new (pool_allocate(sizeof(TensorImpl))) TensorImpl; }

void Tensor::destroy(TensorImpl* impl) {
  if (impl->autograd) destroy_autograd(impl->autograd);
  impl->~TensorImpl();
  pool_free(impl, sizeof(TensorImpl));
}

bool is_contiguous(const Shape& shape, const Shape& strides) {
  int64_t expected = 1;
  bool ok = true;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != expected) ok = false;
    expected *= shape[i];
  }
  return ok;
}

Result<Tensor> Tensor::empty(const Meta& meta) {
  // Infer rules may ask for any size. A product that wraps around would make the buffer too short.
  int64_t count = checked_numel(meta.shape);
  if (count < 0) return memory_error("[allocate] shape is too large, got {}", meta.shape.str());
  const auto bytes = static_cast<size_t>(count * item_size(meta.dtype));
  MSJIT_TRY(Storage storage, meta.device.is_host() ? Storage::allocate(bytes)
                                                   : devices::allocate(meta.device, bytes));
  TensorImpl* impl = new_tensor_impl();
  impl->meta = meta;
  impl->strides = contiguous_strides(meta.shape);
  impl->data = storage->data;
  impl->storage = std::move(storage);
  return Tensor(impl);
}

Result<Tensor> Tensor::empty(DType dtype, const Shape& shape) {
  for (Dim d : shape) {
    if (d < 0)
      return value_error("[empty] dimensions must not be negative, got shape {}", shape.str());
  }
  return empty(Meta{dtype, false, shape});
}

Tensor Tensor::view(const Tensor& base, const Shape& shape, const Shape& strides, int64_t offset) {
  TensorImpl* impl = new_tensor_impl();
  impl->meta = Meta{base.dtype(), false, shape, base.device()};
  impl->strides = strides;
  impl->contiguous = is_contiguous(shape, strides);
  impl->storage = base.storage();
  impl->data = static_cast<char*>(base.data()) + offset * item_size(base.dtype());
  return Tensor(impl);
}

Tensor Tensor::from_storage(Storage storage, DType dtype, const Shape& shape, const Shape& strides,
                            int64_t offset_bytes) {
  TensorImpl* impl = new_tensor_impl();
  impl->meta = Meta{dtype, false, shape, storage->device};
  impl->strides = strides;
  impl->contiguous = is_contiguous(shape, strides);
  impl->data = static_cast<char*>(storage->data) + offset_bytes;
  impl->storage = std::move(storage);
  return Tensor(impl);
}

Tensor Tensor::scalar_of(DType dtype, double value, bool weak) {
  return dispatch_any_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return scalar<T>(convert_value<T>(value), weak);
  });
}

Status copy_elements(const Tensor& from, const Tensor& to) {
  if (from.numel() == 0) return {};
  if (!from.device().is_host() || !to.device().is_host()) [[unlikely]]
    return devices::copy(from, to);
  copy_strided(from, to);
  return {};
}

Result<Tensor> Tensor::to_contiguous() const {
  if (contiguous()) return *this;
  MSJIT_TRY(Tensor copy, empty(impl_->meta));
  MSJIT_OK(copy_elements(*this, copy));
  return copy;
}

Tensor Tensor::detach() const {
  TensorImpl* impl = new_tensor_impl();
  impl->meta = impl_->meta;
  impl->strides = impl_->strides;
  impl->contiguous = impl_->contiguous;
  impl->data = impl_->data;
  impl->storage = impl_->storage;
  return Tensor(impl);
}

}  // namespace msjit
